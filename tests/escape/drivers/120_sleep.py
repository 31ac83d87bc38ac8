# case: 120
# title: a run that never ends
# tries: sleeping for ever, in every way a process waits: sleep, a pipe, a lock, a futex, a stopped main process
# expect: the wall clock ends it: timed_out, limit time, exit code 124
# layers: -
from outside import BOTH, run_program

WAYS = {"sleep": "import time\nwhile True: time.sleep(1000)",
        "a pipe": "import os\nr, w = os.pipe()\nos.read(r, 1)",
        "a futex": "import threading\nthreading.Lock().acquire()\nx = threading.Lock(); x.acquire(); x.acquire()",
        "stopped": "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)"}


def run(env):
    client = env.common()
    for name, code in WAYS.items():
        for tool in BOTH:
            result = run_program(client, tool, "print('before', flush=True)\n" + code, timeout=1)
            assert (result["timed_out"], result["limit"], result["success"], result["exit_code"]) == (True, "time", False, 124), (name, result)
            assert result["stdout"] == "before\n", (name, tool, result)
            assert "timed out after 1 s" in result["stderr"], (name, tool, result)
    return "held", f"{len(WAYS)} ways, both tools"
