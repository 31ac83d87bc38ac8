# case: 110
# title: a process number that is used again
# tries: reading how the launcher signals: everything of a sandbox by descriptor or by its cgroup, a number only of a child that
#   has not been waited for
# expect: no kill() by number where the process may have been reaped
# layers: -
import os
import re

from product import ROOT

# Own children that only this process waits for, after the kill: their number cannot be another's.
KNOWN = {
    "src/sandbox/launcher_client.cc": "the launcher, our own child, which we alone wait for",
    "src/sandbox/helper/launcher_main.cc": "the first child of the launcher's process namespace, our own",
    "src/sandbox/helper/cgroup_directory.cc": "signal 0: asks whether a process of that number exists, and sends nothing",
    "src/sandbox/helper/orphans.cc": "children of the launcher that it waits for after the kill",
    "src/sandbox/helper/workspace_quota.cc": "the child that counts, which it waits for after the kill",
    "src/os/program.cc": "its own child, which it waits for after the kill",
    "src/sandbox/probe_program/cmcp_probe.cc": "its own children inside the probe sandbox",
}


def run(env):
    found = {}
    for place, _, files in os.walk(os.path.join(ROOT, "src")):
        for name in files:
            if not re.search(r"\.(cc|h)$", name) or "test" in name:
                continue
            path = os.path.join(place, name)
            with open(path, encoding="utf-8") as file:
                for number, line in enumerate(file, 1):
                    if re.search(r"(?<![\w.>])(::)?(kill|killpg|tgkill|sigqueue)\(", line.split("//")[0]) and '"' not in line:
                        found.setdefault(os.path.relpath(path, ROOT), []).append(f"{number}: {line.strip()}")
    unknown = {path: lines for path, lines in found.items() if path not in KNOWN}
    if unknown:
        return "escaped", f"kills by number: {unknown}"
    with open(os.path.join(ROOT, "src/os/process.cc"), encoding="utf-8") as file:
        assert "SYS_pidfd_send_signal" in file.read()
    return "held", "sandboxes are killed by pidfd; numbers are used for " + ", ".join(sorted(found))
