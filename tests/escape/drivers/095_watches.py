# case: 95
# title: watches on files of the system
# tries: A watches /usr/bin by inotify while B, in a sandbox of another server, starts programs
# expect: A sees nothing, or the threat model says that it does
# layers: -
import os

from outside import end_of, said, start_program
from product import ROOT, wait_for

A = """import ctypes, json, os, time
libc = ctypes.CDLL(None, use_errno=True)
watch = libc.inotify_init1(os.O_NONBLOCK)
assert libc.inotify_add_watch(watch, b'/usr/bin', 0x20) >= 0  # IN_OPEN
open('ready', 'w').close()
end = time.monotonic() + 60
while not os.path.exists('done') and time.monotonic() < end:
    time.sleep(0.01)
try:
    print(json.dumps('cksum' in os.read(watch, 1 << 20).decode('latin-1')))
except BlockingIOError:
    print(json.dumps(False))
"""


def run(env):
    first, second = env.client(), env.client()
    waiting = start_program(first, "python", A, timeout=90)
    wait_for(lambda: os.path.exists(os.path.join(first.server.workspace, "ready")), "A to watch")
    assert second.bash("echo x | cksum")["success"]
    with open(os.path.join(first.server.workspace, "done"), "w"):
        pass
    if not said(end_of(first, waiting)):
        return "held", "a watch sees nothing of another sandbox"
    with open(os.path.join(ROOT, "THREAT_MODEL.md"), encoding="utf-8") as file:
        documented = "inotify" in file.read()
    return ("held", "A sees which programs B opens: documented") if documented else (
        "escaped", "A sees which programs B opens, and THREAT_MODEL.md does not say so")
