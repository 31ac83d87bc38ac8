# case: 103
# title: a fork bomb beside another sandbox
# tries: a bomb that fills its sandbox and stays, while runs of both tools start in others; then the classic bomb of a shell
# expect: the others run; the bomb ends with its run
# layers: process_limit
import os
import secrets

from outside import BOTH, end_of, none_left, run_program, said, start_program
from product import wait_for

BOMB = """import json, os, time
count = 0
try:
    while count < 300:
        if os.fork() == 0:
            time.sleep(1000)
        count += 1
except OSError:
    pass
open(%(ready)r, 'w').close()
end = time.monotonic() + 60
while not os.path.exists(%(done)r) and time.monotonic() < end:
    time.sleep(0.01)
print(json.dumps(count))
"""
OTHER = "import json, os\nchildren = [os.fork() for _ in range(1)]\nif children[0] == 0: os._exit(0)\nos.wait()\nprint(json.dumps('ran'))"


def run(env):
    client, counts = env.common(), []
    for first in BOTH:
        files = {"ready": f"ready-{first}", "done": f"done-{first}"}
        waiting = start_program(client, first, BOMB % files, timeout=90)
        wait_for(lambda: os.path.exists(os.path.join(client.server.workspace, files["ready"])), "the bomb to fill its sandbox")
        for second in BOTH:
            assert said(run_program(client, second, OTHER)) == "ran"
        with open(os.path.join(client.server.workspace, files["done"]), "w"):
            pass
        result = end_of(client, waiting)
        counts.append(said(result))
        if counts[-1] >= 300:
            return "escaped", f"{counts[-1]} children"
    mark = "escape-" + secrets.token_hex(8)
    classic = client.bash(f": {mark}; b() {{ b | b & }}; b; while :; do sleep 1; done", timeout=3)
    assert classic["timed_out"] or classic["limit"] == "processes", classic
    none_left(client, mark)
    assert client.bash("echo ok")["stdout"] == "ok\n"
    return "held", f"{counts} children at most; others ran beside it; the classic bomb ended with its run"
