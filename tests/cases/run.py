#!/usr/bin/env python3
"""run.py --list | --count | NAME…: runs cases by name. Exit status 0 only if all of them held."""
import os
import sys
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import registry  # noqa: E402
import bash_cases  # noqa: E402,F401
import deploy_cases  # noqa: E402,F401
import file_cases  # noqa: E402,F401
import proto_cases  # noqa: E402,F401
import python_cases  # noqa: E402,F401


def expected():
    """Ids of finished work, from cases.list ("ID issue" a line)."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cases.list")
    with open(path) as lines:
        return [line.split()[0] for line in lines if line.strip() and line.split()[1] == "main"]


def main(arguments):
    if arguments == ["--list"]:
        print("\n".join(registry.CASES))
        return 0
    if arguments == ["--count"]:
        covered = {name.split(".")[0] for name in registry.CASES}
        wanted = expected()
        missing = [identifier for identifier in wanted if identifier not in covered]
        print(f"cases [main]: {len(wanted) - len(missing)} of {len(wanted)}")
        if missing:
            print("without a test: " + " ".join(missing))
        return 1 if missing else 0
    failed = 0
    for name in arguments:
        try:
            registry.CASES[name]()
            print(f"held: {name}")
        except Exception:
            traceback.print_exc()
            print(f"FAILED: {name}")
            failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
