"""The translation units of a build directory that are compiled: translation_units.py BUILD prints their number."""

import json
import os
import sys


def main():
    build = sys.argv[1]
    try:
        with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
            entries = json.load(file)
    except (OSError, ValueError):
        print(0)
        return
    print(sum(1 for entry in entries if os.path.exists(os.path.join(entry["directory"], entry.get("output", "")))
              and entry.get("output")))


main()
