# case: 129
# title: output that is closed, or held by somebody else
# tries: closing stdout and stderr and going on; a grandchild that keeps the pipe open and writes after the main process ended
# expect: the result comes with the end of the main process, and has what was said until then
# layers: -
import secrets

from outside import BOTH, none_left, run_program

CLOSED = """import os, sys, time
os.write(1, b'before')
os.close(1)
os.close(2)
time.sleep(0.2)
os._exit(7)
"""
HELD = """import os, sys
reader, writer = os.pipe()
if os.fork() == 0:
    os.setsid()
    os.write(writer, b'x')
    os.execv('/bin/sh', ['sh', '-c', 'while :; do echo more; sleep 0.05; done', %r])
os.read(reader, 1)
os.write(1, b'main ends\\n')
os._exit(0)
"""


def run(env):
    client = env.common()
    for tool in BOTH:
        result = run_program(client, tool, CLOSED)
        assert (result["stdout"], result["exit_code"]) == ("before", 7), result
        mark = "escape-" + secrets.token_hex(8)
        result = run_program(client, tool, HELD % mark, timeout=60)
        assert "main ends\n" in result["stdout"] and result["exit_code"] == 0 and not result["timed_out"], result
        assert result["killed_processes"] >= 1, result
        none_left(client, mark)
    shell = client.bash("exec >&- 2>&-; echo lost; exit 3")
    assert shell["exit_code"] == 3 and shell["stdout"] == "", shell
    return "held", "the result came with the end of the main process; who held the pipe was killed and counted"
