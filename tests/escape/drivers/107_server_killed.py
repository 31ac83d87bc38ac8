# case: 107
# title: the server is killed in the middle of runs
# tries: SIGKILL of the server while a run of each tool works, with a daemon and a stopped child each
# expect: every process of the sandboxes ends; no mount and no cgroup is left, and a new server on the same directories works
# layers: pid_namespace
import os
import secrets

from outside import BOTH, start_program
from product import descendants, processes_with, wait_for

CODE = """import os, time
for way in ('while :; do sleep 1; done', 'kill -STOP $$'):
    if os.fork() == 0:
        os.setsid()
        os.execv('/bin/sh', ['sh', '-c', way, %(mark)r])
open(%(ready)r, 'w').close()
time.sleep(1000)
"""


def mounts():
    with open("/proc/self/mountinfo") as file:
        return sorted(line.split(" ", 3)[3] for line in file if "cmcp" in line or "container-mcp" in line)


def cgroups_of(pids):
    """The cgroup directories of these processes that are not also the test's own."""
    own, found = set(), set()
    roots = ["/sys/fs/cgroup"] + [os.path.join("/sys/fs/cgroup", name) for name in os.listdir("/sys/fs/cgroup")]
    for pid, into in [(os.getpid(), own)] + [(pid, found) for pid in pids]:
        try:
            with open(f"/proc/{pid}/cgroup") as file:
                for line in file:
                    into.update(root + line.strip().split(":", 2)[2] for root in roots)
        except OSError:
            continue
    return {path for path in found - own if os.path.isdir(path) and path.rstrip("/") not in roots}


def run(env):
    before, mark = mounts(), "escape-" + secrets.token_hex(8)
    client = env.client()
    for tool in BOTH:
        start_program(client, tool, CODE % {"mark": mark, "ready": "ready-" + tool}, timeout=90)
        wait_for(lambda: os.path.exists(os.path.join(client.server.workspace, "ready-" + tool)), f"the run of {tool}")
    wait_for(lambda: len(processes_with(mark)) >= 4, "the children of both runs")
    below = descendants(client.server.process.pid)
    groups = cgroups_of(below)
    client.server.kill()
    wait_for(lambda: not processes_with(mark), "no process of the sandboxes")
    wait_for(lambda: not [pid for pid in below if os.path.exists(f"/proc/{pid}")], "none of what ran below the server")
    assert mounts() == before, mounts()
    again = env.client()
    assert again.bash("echo ok")["stdout"] == "ok\n"
    again.server.stop()
    # A cgroup that nobody is in costs nothing and is taken away by the next launcher that starts.
    wait_for(lambda: not [path for path in groups if os.path.isdir(path)], f"no cgroup left of {sorted(groups)}")
    return "held", f"{len(below)} processes ended, mounts as before, {len(groups)} cgroups taken away"
