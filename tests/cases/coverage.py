"""Which cases hold: coverage.py WORK JUNIT... prints `cases [WORK]: N of M` and names what is missing.

A case of WORK (cases.list: ID and the work in which it must hold first) holds when at least one test `case.ID.variant` passed and none failed. Where the shared list lies
beside the checkout (../shared/cases/cases.md), cases.list must agree with it. Exit status 0 only when all hold.
"""

import os
import re
import sys
import xml.etree.ElementTree as ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
SHARED = os.path.join(HERE, "..", "..", "..", "shared", "cases", "cases.md")


def listed():
    """{ID: work} of cases.list."""
    with open(os.path.join(HERE, "cases.list"), encoding="utf-8") as file:
        return dict(line.split()[:2] for line in file if line.strip() and not line.startswith("#"))


def shared():
    """{ID: work} of the shared document; None where it is absent."""
    if not os.path.exists(SHARED):
        return None
    cases, current = {}, None
    with open(SHARED, encoding="utf-8") as file:
        for line in file:
            if line.startswith("### "):
                current = line.split()[1]
            elif line.startswith("- issue:") and current:
                cases[current] = re.findall(r"\[(\w+)\]", line)[0]
    return cases


def outcomes(paths):
    """{ID: (passed, failed)} over all result files."""
    counts = {}
    for path in paths:
        try:
            root = ElementTree.parse(path).getroot()
        except (OSError, ElementTree.ParseError) as error:
            print(f"{path}: {error}", file=sys.stderr)
            continue
        for case in root.iter("testcase"):
            match = re.match(r"case\.([A-Z]+-\d+)\.", case.get("name") or "")
            if not match:
                continue
            passed, failed = counts.get(match.group(1), (0, 0))
            if case.find("failure") is not None or case.get("status") == "fail":
                failed += 1
            elif case.find("skipped") is None and case.get("status") not in ("notrun", "disabled"):
                passed += 1
            counts[match.group(1)] = (passed, failed)
    return counts


def main():
    if len(sys.argv) < 2:
        print("usage: coverage.py WORK JUNIT...", file=sys.stderr)
        return 2
    work, cases, agreed = sys.argv[1], listed(), shared()
    wanted = [name for name, first in cases.items() if first == work]
    results = outcomes(sys.argv[2:])
    holding = [name for name in wanted if results.get(name, (0, 0))[0] > 0 and results[name][1] == 0]
    for name in wanted:
        if name not in holding:
            passed, failed = results.get(name, (0, 0))
            print(f"case {name}: " + (f"{failed} failed" if failed else "no test of it passed"))
    ok = len(holding) == len(wanted) and wanted
    if agreed is not None and agreed != cases:
        differing = sorted(name for name in agreed.keys() | cases.keys() if agreed.get(name) != cases.get(name))
        print(f"tests/cases/cases.list differs from the shared list: {', '.join(differing)}")
        ok = False
    print(f"cases [{work}]: {len(holding)} of {len(wanted)}")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
