# case: 117
# title: memory in descriptors
# tries: 250 memfds of 64 MiB each, written, without and with a memory cgroup; and one held by a child that waits
# expect: ended by the memory limit, or memfd_create is denied
# layers: memory_limit
# settings: BASH_MEMORY_LIMIT=256 PYTHON_MEMORY_LIMIT=256
from outside import BOTH, run_program

CODE = """import os
kept = []
try:
    for number in range(250):
        one = os.memfd_create('x')
        kept.append(one)
        for _ in range(64):
            os.write(one, b'x' * (1 << 20))
        if number == 15:
            print('ONE GIBIBYTE')
            break
except OSError as failure:
    print('refused:', failure.strerror, 'after', len(kept))
    raise SystemExit(3)
"""


def run(env):
    seen = []
    for name, switches in (("as it is", {}), ("no cgroup", {"CMCP_TEST_NO_CGROUP": "1"})):
        client = env.client(switches=switches)
        for tool in BOTH:
            result = run_program(client, tool, CODE, timeout=60)
            if "ONE GIBIBYTE" in result["stdout"]:
                return "escaped", f"{tool}, {name}: 1 GiB in memfds with a limit of 256 MB"
            assert result["limit"] == "memory" or "refused" in result["stdout"], result
            seen.append(f"{name}, {tool}: {result['limit'] or result['stdout'].strip()}")
    return "held", "; ".join(seen)
