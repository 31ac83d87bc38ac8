# case: 173
# title: what a hostile client or program may put into logs
# tries: tool names, paths, arguments, client names and outputs with newlines, escapes, JSON and NUL
# expect: a line of the log or of the audit stays one line of valid JSON; no escape reaches a terminal
# layers: -
import json
import os

from product import RpcError, Server, StdioClient

EVIL = "x\n{\"level\":\"error\",\"message\":\"forged\"}\r\n\x1b]0;title\x07\x1b[2J\u202e\0\x9b31m"


def run(env):
    server = Server("stdio", {**env.settings, "LOG_LEVEL": "DEBUG"}, extra_env=env.switches)
    client = StdioClient(server, revision=None)
    client.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": EVIL, "version": EVIL}})
    client.notify("notifications/initialized")
    for tool, arguments in ((EVIL, {}), ("file_read", {"path": EVIL}), ("file_write", {"path": EVIL.replace("\0", ""), "content": EVIL}),
                            ("system_run_command", {"command": "echo", "working_dir": EVIL}), ("system_run_command", {"command": "echo", "env": {EVIL: "x"}}),
                            ("system_run_command", {"command": EVIL}), ("system_run_python", {"code": f"raise ValueError({EVIL!r})"}),
                            ("system_run_command", {EVIL: EVIL}), ("file_list", {"path": "/", "pattern": EVIL})):
        try:
            client.call(tool, arguments)
        except RpcError as failure:
            assert len(failure.message) < 10000, failure
    try:
        client.request(EVIL)
    except RpcError:
        pass
    assert client.bash("echo ok")["stdout"] == "ok\n"
    server.stop()
    for line in "".join(server.log).splitlines():
        record = json.loads(line)
        assert record.get("message") != "forged", line
        assert "\x1b" not in line and "\x9b" not in line, repr(line)
    with open(os.path.join(server.state, "audit.jsonl")) as file:
        for line in file:
            assert "tool" in json.loads(line), line
            assert "\x1b" not in line, repr(line)
    return "held", f"{len(server.log)} lines of the log and the audit, each valid JSON"
