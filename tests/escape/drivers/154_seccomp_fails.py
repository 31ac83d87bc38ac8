# case: 154
# title: the filter cannot be loaded
# tries: a server in whose process seccomp() and prctl(PR_SET_SECCOMP) fail with EPERM, and one where they fail with EINVAL
# expect: no run, with the reason; never a run with less
# layers: -
import platform

from outside import DENY, started_by
from product import Server, StdioClient

SECCOMP, PRCTL = (317, 157) if platform.machine() == "x86_64" else (277, 167)
# Asking what the kernel knows (another operation, or no filter behind the pointer) may go on.
DENIED = [(SECCOMP, "filter"), (PRCTL, 22)]


def run(env):
    seen = []
    for error in (1, 22):
        with started_by(env, DENY % (DENIED, error)):
            client = env.client()
        for result in (client.bash("echo ran"), client.python("print('ran')")):
            if not result.get("refused") or result.get("code") != "sandbox_unavailable":
                return "escaped", f"a run without a filter: {result}"
            assert "seccomp" in result["error"].lower(), result["error"]
        seen.append(result["error"][:160])
        low = None
        with started_by(env, DENY % (DENIED, error)):
            low = env.client(settings={"SANDBOX_REQUIRE": "L1"})
        result = low.bash("echo ran")
        if result.get("stdout") == "ran\n":
            return "escaped", "SANDBOX_REQUIRE=L1, which demands seccomp, ran without it"
    # Where the call does not exist at all, the server says so and does not start, or refuses every run.
    with started_by(env, DENY % ([(SECCOMP, None), (PRCTL, 22)], 38)):
        server = Server("stdio", env.settings)
    try:
        result = StdioClient(server).bash("echo ran")
        if not result.get("refused"):
            return "escaped", f"a run without seccomp in the kernel: {result}"
    except (AssertionError, OSError):  # it has ended
        server.stop()
        assert "seccomp" in "".join(server.log), server.log
        seen.append("without the call: " + server.log[0].strip()[:160])
    return "held", "; ".join(seen)
