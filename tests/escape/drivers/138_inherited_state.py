# case: 138
# title: what a process inherits
# tries: a server that was started with umask 0, blocked and ignored signals, a nice value, one processor, low limits, a raised
#   oom_score_adj and an open descriptor
# expect: a run has umask 022, no signal blocked or ignored, its own limits; a lower priority and fewer processors may stay, for
#   nobody may raise them
# layers: -
import os

import product
from outside import BOTH, run_program, said

WRAPPER = """#!%(python)s
import os, resource, signal, sys
os.umask(0)
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
for number in (signal.SIGPIPE, signal.SIGCHLD, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGALRM):
    signal.signal(number, signal.SIG_IGN)
os.nice(3)
resource.setrlimit(resource.RLIMIT_CPU, (900, 900))
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 36, 1 << 36))
open('/proc/self/oom_score_adj', 'w').write('300')
os.dup2(os.open('/etc/hostname', os.O_RDONLY), 77)
os.execv(%(binary)r, sys.argv)
"""
CODE = """import json, os, resource, signal
status = dict(line.split(':\\t', 1) for line in open('/proc/self/status').read().splitlines() if ':\\t' in line)
umask = os.umask(0)
print(json.dumps({'umask': umask, 'blocked': status['SigBlk'], 'ignored': status['SigIgn'], 'pending': status['ShdPnd'],
    'open': [n for n in range(3, 100) if os.path.exists(f'/proc/self/fd/{n}') and not os.readlink(f'/proc/self/fd/{n}').startswith(('pipe', 'socket', '/proc'))],
    'nice': os.nice(0), 'oom': open('/proc/self/oom_score_adj').read().strip(), 'cwd': os.getcwd(),
    'limits': {n: resource.getrlimit(getattr(resource, n)) for n in ('RLIMIT_CORE', 'RLIMIT_NOFILE', 'RLIMIT_MSGQUEUE', 'RLIMIT_MEMLOCK')}}))
"""
PYTHON_IGNORES = 1 << 12 | 1 << 24  # SIGPIPE and SIGXFSZ, which the interpreter ignores by itself


def run(env):
    place = env.outside()
    os.chmod(place, 0o755)
    wrapper = os.path.join(place, "wrapper")
    with open(wrapper, "w") as file:
        file.write(WRAPPER % {"python": os.path.realpath("/usr/bin/python3"), "binary": product.BINARY})
    os.chmod(wrapper, 0o755)
    kept, product.BINARY = product.BINARY, wrapper
    try:
        client = env.client()
    finally:
        product.BINARY = kept
    for tool in BOTH:
        seen = said(run_program(client, tool, CODE))
        ignored = int(seen["ignored"], 16) & ~PYTHON_IGNORES
        if (seen["umask"], int(seen["blocked"], 16), ignored, seen["open"], seen["cwd"]) != (0o022, 0, 0, [], "/workspace"):
            return "escaped", f"{tool}: {seen}"
        assert seen["limits"]["RLIMIT_NOFILE"][1] == 1024 and seen["limits"]["RLIMIT_MSGQUEUE"] == [0, 0], seen
        assert int(seen["oom"]) >= 300, seen
    shell = client.bash("trap; grep -E 'Sig(Blk|Ign)' /proc/self/status; yes | head -1")
    assert shell["stdout"].splitlines()[-1] == "y" and shell["exit_code"] == 0, shell
    return "held", f"umask 022, nothing blocked or ignored, nice {seen['nice']}, oom_score_adj {seen['oom']}"
