# case: 174
# title: init of the own sandbox, as far as the kernel lets its user reach it
# tries: limits of init lowered to nothing (CPU, files, size, data), SCHED_IDLE, the worst priority, one processor; then a normal end, a failure,
#   and a sleep past the deadline
# expect: the end is told as it was, or as a failure of the sandbox; the deadline holds; nothing is left
# layers: -
import secrets

from outside import BOTH, none_left, run_program

ABUSE = """import ctypes, os, resource, time
for name in ('RLIMIT_CPU', 'RLIMIT_NOFILE', 'RLIMIT_FSIZE', 'RLIMIT_DATA', 'RLIMIT_AS', 'RLIMIT_STACK', 'RLIMIT_NPROC', 'RLIMIT_SIGPENDING'):
    try:
        resource.prlimit(1, getattr(resource, name), (0, 0))
    except (OSError, ValueError):
        pass
for action in (lambda: os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0)), lambda: os.setpriority(os.PRIO_PROCESS, 1, 19),
               lambda: os.sched_setaffinity(1, {min(os.sched_getaffinity(0))})):
    try:
        action()
    except OSError:
        pass
for _ in range(20):  # orphans for init to reap
    if os.fork() == 0:
        if os.fork() == 0: os._exit(0)
        os._exit(0)
    os.wait()
"""


def run(env):
    client, seen = env.common(), []
    for tool in BOTH:
        mark = "escape-" + secrets.token_hex(8)
        fine = run_program(client, tool, ABUSE + "print('end')")
        assert fine.get("refused") or (fine["success"], fine["stdout"]) == (True, "end\n"), fine
        bad = run_program(client, tool, ABUSE + "os._exit(9)")
        assert not bad.get("success") and (bad.get("refused") or bad["exit_code"] == 9), bad
        late = run_program(client, tool, ABUSE + f"if os.fork() == 0: os.execv('/bin/sh', ['sh', '-c', 'while :; do sleep 1; done', {mark!r}])\ntime.sleep(1000)",
                           timeout=2)
        assert late.get("refused") or late["timed_out"], late
        none_left(client, mark)
        seen.append(f"{tool}: {'told' if not fine.get('refused') else 'a failure of the sandbox'}")
    assert client.bash("echo ok")["stdout"] == "ok\n"
    return "held", "; ".join(seen)
