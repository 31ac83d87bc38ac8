# case: 160
# title: the audit log of what was denied
# tries: a refused command, a path outside, a timeout too long, a hook in env, a call without a sandbox, an unknown tool, a run ended by each
#   limit and one by SIGSYS
# expect: one line each, with how it ended and no argument; nothing else
# layers: -
# settings: COMMAND_RESTRICTED=true BASH_ALLOWED_COMMANDS=echo,sleep PYTHON_MEMORY_LIMIT=64 SANDBOX_CPU_SECONDS=1
import json
import os

from product import RpcError

SECRET = "do-not-write-this-down"
PYTHON = "system_run_python"
EVENTS = [
    ("system_run_command", {"command": f"rm {SECRET}"}, "failed", "exit 126"),
    ("system_run_command", {"command": "sleep 5", "timeout": 0.5}, "failed", "limit time"),
    ("system_run_command", {"command": f"echo {SECRET}", "timeout": 100000}, "refused", "invalid_argument"),
    ("system_run_command", {"command": "echo", "env": {"LD_PRELOAD": SECRET}}, "refused", "invalid_argument"),
    (PYTHON, {"code": f"# {SECRET}\nx = []\nwhile True: x.append(bytearray(b'1') * (1 << 20))"}, "failed", "limit memory"),
    (PYTHON, {"code": "while True: pass"}, "failed", "limit cpu"),
    (PYTHON, {"code": "import os\nos.kill(os.getpid(), 31)"}, "failed", "signal SIGSYS"),
    ("file_read", {"path": f"../../etc/{SECRET}"}, "failed", ""),
    ("no_such_tool", {}, "refused", "unknown_tool"),
    ("system_run_command", {"command": "echo fine"}, "ok", ""),
]


def lines_of(client):
    with open(os.path.join(client.server.state, "audit.jsonl")) as file:
        return [json.loads(line) for line in file]


def made(client, tool, arguments):
    try:
        client.call(tool, arguments)
    except RpcError:
        pass


def run(env):
    client = env.common()
    client.bash("echo ready")
    for tool, arguments, outcome, detail in EVENTS:
        before = len(lines_of(client))
        made(client, tool, arguments)
        new = lines_of(client)[before:]
        assert len(new) == 1, (tool, arguments, new)
        assert (new[0]["tool"], new[0]["outcome"]) == (tool, outcome), new
        assert new[0]["detail"] == detail, (tool, arguments, new)
    without = env.client(switches={"CMCP_TEST_DISABLE_LAYER": "seccomp"})
    made(without, "system_run_command", {"command": "echo x"})
    assert [(line["outcome"], line["detail"]) for line in lines_of(without)] == [("refused", "sandbox_unavailable")], lines_of(without)
    for one in (client, without):
        path = os.path.join(one.server.state, "audit.jsonl")
        with open(path) as file:
            assert SECRET not in file.read(), "an argument is in the audit log"
        assert os.stat(path).st_mode & 0o077 == 0, "others may read it"
    return "held", f"{len(EVENTS) + 1} events, one line each, no argument"
