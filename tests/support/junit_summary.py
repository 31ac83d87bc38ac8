"""Reads the JUnit file of a ctest run. On stderr: what failed, and why each skipped test was skipped. On stdout:
`PASSED FAILED SKIPPED`.

    junit_summary.py FILE TITLE
"""

import re
import sys
import xml.etree.ElementTree as ElementTree


# Tests whose output is a report of its own, shown when they pass too.
REPORTS = {"e2e.clients", "identity.three_modes", "cases.all_have_a_test"}


def skip_reason(case):
    """The reason a test gave: GoogleTest's text after the file and line, or the line that begins with "skip"."""
    output = case.findtext("system-out") or ""
    match = re.search(r"Skipped\n(.*)", output) or re.search(r"^skip\w*:?\s*(.*)", output, re.MULTILINE | re.IGNORECASE)
    if match and match.group(1).strip():
        return match.group(1).strip()
    skipped = case.find("skipped")
    return (skipped.get("message") if skipped is not None else "") or "no reason given"


def main():
    path, title = sys.argv[1], sys.argv[2]
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError) as error:
        print(f"{title}: {error}", file=sys.stderr)
        return 1
    passed = failed = skipped = 0
    for case in root.iter("testcase"):
        name = case.get("name")
        if case.find("failure") is not None or case.get("status") == "fail":
            failed += 1
            print(f"FAILED  {name}", file=sys.stderr)
        elif case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
            skipped += 1
            print(f"skipped {name}: {skip_reason(case)}", file=sys.stderr)
        else:
            passed += 1
            if name in REPORTS:
                print(f"-- {name}\n{(case.findtext('system-out') or '').rstrip()}", file=sys.stderr)
    print(f"{title}: {passed} passed, {failed} failed, {skipped} skipped", file=sys.stderr)
    print(passed, failed, skipped)
    return 0


if __name__ == "__main__":
    sys.exit(main())
