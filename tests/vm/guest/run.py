#!/usr/bin/env python3
"""The machine's part of tests/vm: every ordered step, its result over the second serial line."""
import json
import os
import platform
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import steps  # noqa: E402
import machine  # noqa: E402,F401  (modules register their steps in the order of these lines)
import doctor  # noqa: E402,F401
import smoke  # noqa: E402,F401
import labels  # noqa: E402,F401
import containers  # noqa: E402,F401
import escape  # noqa: E402,F401


def main():
    results = steps.Results()
    with open("/proc/uptime", encoding="ascii") as file:
        results.note(f"booted {platform.release()} in {float(file.read().split()[0]):.0f} s of its own time")
    with open(f"{steps.TOP}/orders.json", encoding="utf-8") as file:
        orders = json.load(file)
    if orders["shell"]:
        subprocess.run(["/bin/bash", "-i"], stdin=open("/dev/ttyS0"), env=steps.ENVIRONMENT, check=False)
        return
    words = [word for word in orders["steps"].split(",") if word]
    chosen = [entry for entry in steps.STEPS if (not orders["short"] or entry[1])
              and (not words or any(word in entry[0] for word in words) or entry[0].startswith("machine"))]
    for name, _, function in chosen:
        print(f"step {name}", flush=True)
        steps.execute(name, function, results)
    results.send(end=len(chosen))


if __name__ == "__main__":
    main()
