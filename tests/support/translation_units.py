"""The translation units of a build directory that are compiled: translation_units.py BUILD prints their number."""

import json
import os
import shlex
import sys


def compiled(entry):
    """True when the object file that the command names after -o exists."""
    words = shlex.split(entry["command"])
    return "-o" in words and os.path.exists(os.path.join(entry["directory"], words[words.index("-o") + 1]))


def main():
    build = sys.argv[1]
    try:
        with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
            entries = json.load(file)
    except (OSError, ValueError):
        print(0)
        return
    print(sum(1 for entry in entries if compiled(entry)))


main()
