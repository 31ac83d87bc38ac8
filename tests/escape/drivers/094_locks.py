# case: 94
# title: locks on files of the system as a channel between two sandboxes
# tries: A locks a file of /usr by flock and by an OFD lock; B, in a sandbox of another server, tries the same
# expect: denied, or named among the covert channels of the threat model
# layers: -
import os

from outside import end_of, run_program, said, start_program
from product import ROOT, wait_for

A = """import fcntl, os, time
one = open('/usr/bin/env', 'rb')
fcntl.flock(one, fcntl.LOCK_EX)
open('ready', 'w').close()
end = time.monotonic() + 60
while not os.path.exists('done') and time.monotonic() < end:
    time.sleep(0.01)
"""
B = """import fcntl, json
try:
    fcntl.flock(open('/usr/bin/env', 'rb'), fcntl.LOCK_EX | fcntl.LOCK_NB)
    print(json.dumps('free'))
except OSError as failure:
    print(json.dumps(failure.strerror))
"""


def run(env):
    first, second = env.client(), env.client()
    waiting = start_program(first, "bash", A, timeout=90)
    wait_for(lambda: os.path.exists(os.path.join(first.server.workspace, "ready")), "A to lock")
    answers = {said(run_program(second, tool, B)) for tool in ("bash", "python")}
    with open(os.path.join(first.server.workspace, "done"), "w"):
        pass
    end_of(first, waiting)
    if answers == {"free"}:
        return "held", "a lock of one sandbox is not seen by another"
    with open(os.path.join(ROOT, "THREAT_MODEL.md"), encoding="utf-8") as file:
        documented = "locks on" in file.read()
    return ("held", f"B sees A's lock ({', '.join(answers)}): documented as a covert channel") if documented else (
        "escaped", f"B sees A's lock ({answers}), and THREAT_MODEL.md does not say so")
