# case: 113
# title: more memory than the limit
# tries: 1 GiB with a limit of 256 MiB: by malloc, by private and shared maps, by eight children of 64 MiB, in /dev/shm
# expect: killed or ENOMEM, told as `limit: memory` where it was killed; the server works on
# layers: memory_limit
# settings: BASH_MEMORY_LIMIT=256 PYTHON_MEMORY_LIMIT=256
from outside import BOTH, run_program

WAYS = {
    "malloc": "x = []\nfor _ in range(1024): x.append(bytearray(b'1') * (1 << 20))",
    "private maps": "import mmap\nx = [mmap.mmap(-1, 1 << 24, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) for _ in range(64)]\n"
                    "for m in x:\n    for at in range(0, 1 << 24, 4096): m[at] = 1",
    "shared maps": "import mmap\nx = []\nfor _ in range(64):\n    m = mmap.mmap(-1, 1 << 24)\n    x.append(m)\n"
                   "    for at in range(0, 1 << 24, 4096): m[at] = 1",
    "eight children": "import os, time\nfor _ in range(8):\n    if os.fork() == 0:\n        x = bytearray(b'1') * (1 << 26)\n"
                      "        time.sleep(1000)\n"
                      "bad = [os.waitpid(-1, 0)[1] for _ in range(1)]\nraise MemoryError('a child ended: %s' % bad)",
}


def run(env):
    client, seen = env.common(), []
    for name, code in WAYS.items():
        for tool in BOTH:
            result = run_program(client, tool, code + "\nprint('ALL OF IT')", timeout=60)
            if "ALL OF IT" in result["stdout"]:
                return "escaped", f"{tool} had 1 GiB by {name}"
            told = result["limit"] == "memory" or "MemoryError" in result["stderr"] or "Cannot allocate" in result["stderr"]
            assert not result["success"] and told, (name, tool, result)
            seen.append(f"{name}, {tool}: {result['limit'] or 'ENOMEM'}")
        assert client.bash("echo ok")["stdout"] == "ok\n"
    return "held", "; ".join(seen)
