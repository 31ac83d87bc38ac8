# case: 114
# title: files in memory count as memory
# tries: with 200 MB of /tmp and a memory limit of 128 MB: filling /tmp, and /tmp and /dev/shm by turns
# expect: ended by the memory limit; without a memory cgroup, which alone counts them, ENOSPC at the size of each
# layers: memory_limit
# settings: SANDBOX_TMP_MB=200 BASH_MEMORY_LIMIT=128 PYTHON_MEMORY_LIMIT=128
import os
import sys

from outside import BOTH, run_program
from product import ROOT

sys.path.insert(0, os.path.join(ROOT, "tests/cases"))
from deploy_cases import doctor  # noqa: E402

CODE = """import os
files = [open(place + '/fill', 'wb', 0) for place in %r]
done = 0
try:
    while done < 500 << 20:
        for one in files:
            done += one.write(b'x' * (1 << 20))
except OSError as failure:
    print('refused after', done >> 20, failure.strerror)
    raise SystemExit(3)
print('ALL OF IT')
"""


def run(env):
    seen, uncounted = [], "cgroup" not in doctor()[1]["limiter"]
    for places in (["/tmp"], ["/dev/shm"], ["/tmp", "/dev/shm"]):
        for tool in BOTH:
            result = run_program(env.common(), tool, CODE % places, timeout=60)
            if "ALL OF IT" in result["stdout"]:
                return "escaped", f"{tool}: 500 MB in {places} with a limit of 128 MB"
            assert result["limit"] == "memory" or (uncounted and "refused after" in result["stdout"]), (uncounted, result)
            seen.append(f"{'+'.join(places)} {tool}: {result['limit'] or result['stdout'].strip()}")
    assert env.bash("echo ok > /tmp/x; cat /tmp/x")["stdout"] == "ok\n"
    return "held", "; ".join(seen)
