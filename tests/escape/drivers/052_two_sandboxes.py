# case: 52
# title: two sandboxes at the same time
# tries: the second looks for the first in /proc, signals every pid, traces and reads memory, opens its fds, kill(-1)
# expect: it sees, signals and traces nothing of the first
# layers: pid_namespace
import os

FIRST = "touch one_runs; exec -a the_first_sandbox sleep 60"
SECOND = """import ctypes, os, signal
libc = ctypes.CDLL(None, use_errno=True)
own = {os.getpid(), os.getppid(), 1}
found = []
for pid in os.listdir('/proc'):
    if pid.isdigit() and int(pid) not in own:
        try: found.append((pid, open('/proc/%s/cmdline' % pid).read()))
        except OSError: pass
signalled = traced = 0
for pid in range(2, 70000):
    if pid in own: continue
    try: os.kill(pid, 0); signalled += 1
    except OSError: pass
for pid in list(range(2, 2000)):
    if pid not in own and libc.ptrace(16, pid, 0, 0) == 0: traced += 1
try: os.kill(-1, signal.SIGKILL)
except OSError: pass
print(len(found), signalled, traced)"""


def run(env):
    client = env.common()
    first = client.start_call("system_run_command", {"command": FIRST, "timeout": 60})
    end = 600
    while not os.path.exists(os.path.join(env.workspace, "one_runs")) and end:
        client.bash("sleep 0.1")
        end -= 1
    second = client.python(SECOND)
    if second["output"].strip() not in ("0 0 0",):
        return "escaped", f"seen, signalled, traced: {second['output']} {second.get('error')}"
    if first in client.answers:
        return "escaped", "the first sandbox ended"
    others = client.bash("ls /proc | grep -c '^[0-9]'; pgrep -f the_first_sandbox; kill -9 -1")
    assert first not in client.answers, others
    client.notify("notifications/cancelled", {"requestId": first})
    return "held", "70,000 pids signalled, 2,000 traced: none reached"
