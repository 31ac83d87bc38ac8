# case: 152
# title: Firejail where it does nothing
# tries: SANDBOX_BACKEND=firejail+native, and as if in a container
# expect: in a container, or without firejail, the start is refused with the reason; else its effect is proven by comparing before and after
# layers: -
import json

from product import RpcError, Server, StdioClient


def attempt(env, switches):
    """(what a run answered, or None, and what the server said)."""
    server = Server("stdio", {**env.settings, "SANDBOX_BACKEND": "firejail+native"}, extra_env={**env.switches, **switches})
    try:
        client = StdioClient(server)
        result = client.bash("echo ran")
    except (AssertionError, RpcError, OSError, BrokenPipeError):
        result = None
    server.stop()
    return result, "".join(server.log)


def run(env):
    seen = []
    for name, switches in (("here", {}), ("in a container", {"CMCP_TEST_CONTAINER": "1"})):
        result, log = attempt(env, switches)
        ran = bool(result) and result.get("stdout") == "ran\n"
        told = log + json.dumps(result or {})
        if ran and switches:
            return "escaped", f"{name}: a run was made: {result}"
        if ran:
            report = json.dumps(result)
            if "firejail" not in told.lower():
                return "escaped", f"{name}: a run was made, and nothing says what Firejail did: {report[:300]}"
            seen.append(f"{name}: runs, its effect is reported")
            continue
        if "firejail" not in told.lower():
            return "escaped", f"{name}: refused without naming Firejail: {told[-400:]}"
        seen.append(f"{name}: refused")
    return "held", "; ".join(seen)
