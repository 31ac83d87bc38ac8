# case: 101
# title: a stopped daemon
# tries: as case 100 with a child that is stopped by SIGSTOP, and one that stops itself with its whole session
# expect: gone with the run
# layers: pid_namespace
import secrets

from outside import BOTH, none_left, run_program

CODE = """import os, signal, time
for ways in range(2):
    child = os.fork()
    if child == 0:
        os.setsid()
        if ways:
            os.kill(0, signal.SIGSTOP)
        os.execv('/bin/sh', ['sh', '-c', 'kill -STOP $$; while :; do sleep 1; done', %(mark)r])
    os.waitpid(child, os.WUNTRACED)
print('main ends')
"""


def run(env):
    mark = "escape-" + secrets.token_hex(8)
    for tool in BOTH:
        result = run_program(env.common(), tool, CODE % {"mark": mark})
        assert result["success"] and result["stdout"] == "main ends\n", result
        none_left(env.common(), mark)
    return "held", "two stopped sessions, gone with the run"
