# case: 102
# title: a process that no signal ends
# tries: every signal ignored or handled, a handler that forks, and children that do the same
# expect: killed at the deadline; timed_out and exit code 124
# layers: -
import secrets

from outside import BOTH, none_left, run_program

CODE = """import os, signal, time
def handler(number, frame):
    pass
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN if number %% 2 else handler)
    except (OSError, ValueError):
        pass
for _ in range(3):
    if os.fork() == 0:
        os.execv('/bin/sh', ['sh', '-c', 'trap "" 1 2 3 13 15; while :; do sleep 1; done', %(mark)r])
print('deaf', flush=True)
while True:
    time.sleep(1)
"""


def run(env):
    mark = "escape-" + secrets.token_hex(8)
    for tool in BOTH:
        result = run_program(env.common(), tool, CODE % {"mark": mark}, timeout=2)
        assert (result["timed_out"], result["success"], result["limit"]) == (True, False, "time"), result
        assert result["stdout"] == "deaf\n" and result["exit_code"] == 124, result
        none_left(env.common(), mark)
    return "held", "killed at the deadline with its children; what it said before is kept"
