# case: 108
# title: init of a sandbox is killed
# tries: SIGKILL of pid 1 of the sandbox from the host, in the middle of a run
# expect: reported as a failure of the sandbox, never as an end of the program
# layers: -
import os
import secrets
import signal

from outside import BOTH, alike, none_left, start_program
import product
from product import processes_with, wait_for

CODE = """import os, time
print('before', flush=True)
if os.fork() == 0:
    os.execv('/bin/sh', ['sh', '-c', 'while :; do sleep 1; done', %(mark)r])
open(%(ready)r, 'w').close()
time.sleep(1000)
"""


def number_in_sandbox(pid):
    with open(f"/proc/{pid}/status") as file:
        row = next(line for line in file if line.startswith("NSpid:"))
    return [int(number) for number in row.split()[1:]]


def parent_of(pid):
    with open(f"/proc/{pid}/stat") as file:
        return int(file.read().rsplit(")", 1)[1].split()[1])


def init_above(pid):
    while number_in_sandbox(pid)[-1] != 1:
        pid = parent_of(pid)
    return pid


def run(env):
    client, seen = env.common(), []
    for tool in BOTH:
        mark = "escape-" + secrets.token_hex(8)
        request = start_program(client, tool, CODE % {"mark": mark, "ready": "ready-" + tool}, timeout=90)
        wait_for(lambda: os.path.exists(os.path.join(client.server.workspace, "ready-" + tool)), "the run")
        child = wait_for(lambda: [pid for pid in processes_with(mark) if len(number_in_sandbox(pid)) > 1], "its child")[-1]
        init = init_above(child)
        assert number_in_sandbox(init)[-1] == 1, init
        os.kill(init, signal.SIGKILL)
        result = alike(product.unpack(client.wait(request)))
        if result.get("success") or not result.get("refused") or "killed by signal 9 from outside" not in str(result.get("error")):
            return "escaped", f"{tool}: init was killed, and it is told as {result}"
        none_left(client, mark)
        seen.append(f"{tool}: {result['code']}: {result['error']}")
    assert client.bash("echo ok")["stdout"] == "ok\n"
    return "held", "; ".join(seen)
