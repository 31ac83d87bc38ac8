# case: 119
# title: processors kept busy
# tries: two threads that spin without an end, in a sandbox; meanwhile runs of both tools in others
# expect: the others end while it still spins; it ends by its limit of CPU or of time
# layers: -
# settings: SANDBOX_CPU_SECONDS=4
import os
import secrets

from outside import BOTH, end_of, none_left, run_program, start_program
from product import wait_for

SPIN = """import os
open(%(ready)r, 'w').close()
mark = %(mark)r
if os.fork() == 0:
    os.execv('/bin/sh', ['sh', '-c', 'while :; do :; done', mark])
while True:
    pass
"""


def run(env):
    client, seen = env.common(), []
    for tool in BOTH:
        mark = "escape-" + secrets.token_hex(8)
        waiting = start_program(client, tool, SPIN % {"ready": "spin-" + tool, "mark": mark}, timeout=120)
        wait_for(lambda: os.path.exists(os.path.join(client.server.workspace, "spin-" + tool)), "the spinner")
        result = run_program(client, tool, "print(sum(range(100000)))")
        assert result["stdout"] == "4999950000\n", result
        assert waiting not in client.answers, "the other run came to its end only after the spinner"
        spun = end_of(client, waiting)
        assert not spun["success"] and spun["limit"] in ("cpu", "time"), spun
        none_left(client, mark)
        seen.append(f"{tool}: {spun['limit']}")
    return "held", "; ".join(seen) + "; others ended while it spun"
