# case: 100
# title: a daemon that stays behind
# tries: double fork, setsid, closed descriptors and a new working directory, then the end of the main process
# expect: gone with the run
# layers: pid_namespace
import secrets

from outside import BOTH, none_left, run_program

CODE = """import os
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.chdir('/')
        os.closerange(0, 64)
        os.execv('/bin/sh', ['sh', '-c', 'while :; do sleep 1; done', %(mark)r])
    os._exit(0)
os.wait()
print('main ends')
"""


def run(env):
    mark = "escape-" + secrets.token_hex(8)
    for tool in BOTH:
        result = run_program(env.common(), tool, CODE % {"mark": mark})
        assert result["success"] and result["stdout"] == "main ends\n", result
        none_left(env.common(), mark)
    shell = env.bash(f"(setsid nohup bash -c 'trap \"\" HUP TERM; while :; do sleep 1; done' {mark} >/dev/null 2>&1 &) ; echo ends")
    assert shell["stdout"] == "ends\n", shell
    none_left(env.common(), mark)
    return "held", f"gone, three times; the result counts killed_processes: {shell.get('killed_processes')}"
