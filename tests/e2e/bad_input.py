#!/usr/bin/env python3
"""Bad input over both transports: each row ends in a clear protocol error or status, and a ping works after it.

Nouns: malformed JSON, unknown fields, wrong types, huge numbers, deep nesting, invalid UTF-8, half-closed connections, slow
senders, oversized headers; bad arguments; bad settings. At least three rows each; the counts are printed and golden.
"""
import json
import os
import socket
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from product import BINARY, HttpClient, Server, StdioClient, Scratch, connect, fresh_uid, identity  # noqa: E402

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
HELLO = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
    "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "b", "version": "1"}}}).encode()
rows = []


def row(noun, name):
    def register(function):
        rows.append((noun, name, function))
        return function
    return register


def raw_http(server, data, half_close=False, seconds=30):
    """Sends bytes on a fresh connection; returns (status or None, body) of the first answer."""
    with socket.create_connection((server.host, server.port), timeout=seconds) as connection:
        try:
            connection.sendall(data)
            if half_close:
                connection.shutdown(socket.SHUT_WR)
            answer = b""
            while b"\r\n\r\n" not in answer:
                more = connection.recv(65536)
                if not more:
                    break
                answer += more
            if not answer:
                return None, b""
            head, body = answer.split(b"\r\n\r\n", 1)
            return int(head.split()[1]), body
        except (ConnectionResetError, BrokenPipeError):
            return None, b""


def post(body, more=b""):
    return (b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json\r\n" + more +
            b"Content-Length: " + str(len(body)).encode() + b"\r\n\r\n" + body)


def over_stdio(noun, name, line, code, identifier=None):
    @row(noun, "stdio: " + name)
    def check(stdio, http):
        stdio.raw(line + b"\n")
        message = stdio.next_message()
        assert message["error"]["code"] == code and message["id"] == identifier, message
        assert len(message["error"]["message"]) > 10, message


def over_http(noun, name, data, statuses, code=None, half_close=False):
    @row(noun, "http: " + name)
    def check(stdio, http):
        status, body = raw_http(http.server, data, half_close)
        assert status in statuses, (status, body)
        if code is not None:
            assert json.loads(body)["error"]["code"] == code, body


def over_tool(noun, name, tool, arguments, *parts):
    """A bad argument: isError with the argument's name, what was given, what is allowed."""
    @row(noun, "tool: " + name)
    def check(stdio, http):
        for client in (stdio, http):
            result = client.call(tool, arguments)
            assert result.get("refused") and result["code"] == "invalid_argument", result
            for part in parts:
                assert part in result["error"], (part, result)


# malformed JSON
for name, text in (("text", b"hello"), ("cut off", b'{"jsonrpc":"2.0","id":3'), ("trailing comma", b'{"a":1,}'), ("two values", b"{}{}")):
    over_stdio("malformed JSON", name, text, -32700)
    over_http("malformed JSON", name, post(text), (400,), -32700)
# unknown fields
over_tool("unknown fields", "argument", "system_run_command", {"comand": "ls"}, "comand", "command")
over_tool("unknown fields", "argument beside the right one", "file_read", {"path": "a.txt", "line_limit": 3}, "line_limit", "limit")
over_tool("unknown fields", "camel case", "system_run_python", {"code": "1", "workingDir": "x"}, "workingDir", "working_dir")


@row("unknown fields", "in initialize and in capabilities: ignored")
def unknown_in_initialize(stdio, http):
    for client in (StdioClient(Server("stdio"), None), HttpClient(Server("http"), None)):
        result = client.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {"elicitation": {}, "x": 1},
                                               "clientInfo": {"name": "n", "version": "1", "y": []}, "z": None})
        assert result["protocolVersion"] == "2025-06-18"


# wrong types
over_tool("wrong types", "command a number", "system_run_command", {"command": 5}, "command", "string")
over_tool("wrong types", "timeout a text", "system_run_command", {"command": "ls", "timeout": "soon"}, "timeout", "number")
over_tool("wrong types", "env a list", "system_run_command", {"command": "ls", "env": ["A=1"]}, "env", "object")
over_tool("wrong types", "env value a number", "system_run_python", {"code": "1", "env": {"A": 1}}, "env", "string")
over_tool("wrong types", "recursive a text", "file_list", {"recursive": "yes"}, "recursive", "true or false")
over_tool("wrong types", "missing argument", "file_read", {}, "path", "required")
for name, text, identifier in (("params a list", b'{"jsonrpc":"2.0","id":4,"method":"tools/list","params":[1]}', 4),
                               ("tool name a number", b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":7}}', 5),
                               ("arguments a text", b'{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"file_list","arguments":"x"}}', 6)):
    over_stdio("wrong types", name, text, -32602, identifier)
for name, text in (("message a number", b"5"), ("message a text", b'"x"'), ("method a number", b'{"jsonrpc":"2.0","id":null,"method":5}')):
    over_stdio("wrong types", name, text, -32600)
# huge numbers
over_stdio("huge numbers", "1e400 as id", b'{"jsonrpc":"2.0","id":1e400,"method":"ping"}', -32700)
over_stdio("huge numbers", "thirty digits as id", b'{"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"ping"}', -32600)
over_tool("huge numbers", "timeout", "system_run_command", {"command": "ls", "timeout": 1e300}, "timeout", "120")
over_tool("huge numbers", "limit", "file_list", {"limit": 2**62}, "limit")
over_tool("huge numbers", "negative offset", "file_read", {"path": "a", "offset": -5}, "offset")
# deep nesting
DEEP = b"[" * 50000 + b"]" * 50000
over_stdio("deep nesting", "arrays", DEEP, -32700)
over_stdio("deep nesting", "objects", b'{"a":' * 50000 + b"1" + b"}" * 50000, -32700)
over_http("deep nesting", "arrays", post(DEEP), (400,), -32700)
over_http("deep nesting", "never closed", post(b"[" * 200000), (400,), -32700)
# invalid UTF-8
over_stdio("invalid UTF-8", "lone bytes", b'{"jsonrpc":"2.0","id":1,"method":"\xff"}', -32700)
over_stdio("invalid UTF-8", "surrogate bytes", b'{"jsonrpc":"2.0","id":1,"method":"\xed\xa0\x80"}', -32700)
over_http("invalid UTF-8", "overlong", post(b'{"jsonrpc":"2.0","id":1,"method":"\xc0\xaf"}'), (400,), -32700)
over_http("invalid UTF-8", "header bytes", b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-A: \xff\x01\r\n\r\n", (400, 200))
over_http("invalid UTF-8", "path bytes", b"GET /\xff\xfe HTTP/1.1\r\nHost: localhost\r\n\r\n", (400, 404))
# half-closed connections
over_http("half-closed connections", "after a request: still answered", post(HELLO), (200,), None, half_close=True)
over_http("half-closed connections", "after half a header", b"POST /mcp HTTP/1.1\r\nHost: loc", (None, 400, 408), None, half_close=True)
over_http("half-closed connections", "after half a body", post(HELLO)[:-10], (None, 400, 408), None, half_close=True)
over_http("half-closed connections", "at once", b"", (None, 400, 408), None, half_close=True)


# slow senders
@row("slow senders", "stdio: a byte at a time")
def slow_stdio(stdio, http):
    for byte in b'{"jsonrpc":"2.0","id":"slow","method":"ping"}\n':
        stdio.raw(bytes([byte]))
    assert stdio.wait("slow") == {}


@row("slow senders", "http: a byte at a time delays nobody")
def slow_http(stdio, http):
    with socket.create_connection((http.server.host, http.server.port), timeout=60) as connection:
        data = post(HELLO)
        for byte in data:
            connection.sendall(bytes([byte]))
            if byte == 10:
                assert http.request("ping") == {}
        assert connection.recv(65536).startswith(b"HTTP/1.1 200")


@row("slow senders", "http: forty idle connections")
def idle_http(stdio, http):
    idle = [socket.create_connection((http.server.host, http.server.port)) for _ in range(40)]
    for connection in idle:
        connection.sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
    assert http.request("ping") == {}
    for connection in idle:
        connection.close()


# oversized headers
for name, data, statuses in (
        ("one long header", b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-A: " + b"a" * 200000 + b"\r\n\r\n", (431, 400, None)),
        ("many headers", b"GET /health HTTP/1.1\r\nHost: localhost\r\n" + b"X-A: b\r\n" * 20000 + b"\r\n", (431, 400, None)),
        ("long target", b"GET /" + b"a" * 200000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", (414, 431, 400, None)),
        ("two lengths", b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}x", (400,)),
        ("length and chunks", b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", (400,)),
        ("a body above the limit", b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 999999999999\r\n\r\n", (413,)),
        ("not HTTP", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 200 + b"\r\n\r\n", (400, None)),
        ("no Host", b"GET /health HTTP/1.1\r\n\r\n", (400, 403))):
    over_http("oversized headers", name, data, statuses)
over_http("wrong types", "content type", post(b"{}").replace(b"application/json\r\nAccept", b"text/plain\r\nAccept"), (415,))


# bad settings
def start_with(settings, args=(), files=()):
    uid = fresh_uid() if identity() == "user" and os.geteuid() == 0 else None
    scratch = Scratch(uid)
    for name, text in files:
        with open(os.path.join(scratch.make(os.path.dirname(name)), os.path.basename(name)), "w") as file:
            file.write(text)
    env = {"PATH": "/usr/bin:/bin", "HOME": scratch.make("home"), "SANDBOX_ROOT": os.path.join(scratch.path, "sandbox"),
           "STATE_DIR": os.path.join(scratch.path, "state"), **settings}
    env.update({name: os.environ[name] for name in ("ASAN_OPTIONS",) if name in os.environ})
    command = [BINARY, "--stdio", *args]
    if uid is not None:
        command = ["setpriv", "--reuid", str(uid), "--regid", str(uid), "--clear-groups", "--"] + command
    return subprocess.run(command, env=env, cwd=scratch.path, capture_output=True, text=True, timeout=60, input="")


def over_setting(name, settings, *parts, args=()):
    @row("bad settings", name)
    def check(stdio, http):
        done = start_with(settings, args)
        assert done.returncode != 0 and done.stdout == "", (done.returncode, done.stdout, done.stderr)
        for part in parts:
            assert part in done.stderr, (part, done.stderr)


over_setting("a text for a number", {"BASH_TIMEOUT_DEFAULT": "soon"}, "BASH_TIMEOUT_DEFAULT", "soon")
over_setting("negative", {"BASH_MEMORY_LIMIT": "-5"}, "BASH_MEMORY_LIMIT", "-5")
over_setting("zero memory", {"PYTHON_MEMORY_LIMIT": "0"}, "PYTHON_MEMORY_LIMIT")
over_setting("huge", {"SANDBOX_MAX_PROCESSES": "99999999999999999999"}, "SANDBOX_MAX_PROCESSES")
over_setting("not a flag", {"COMMAND_RESTRICTED": "perhaps"}, "COMMAND_RESTRICTED", "perhaps", "true")
over_setting("unknown level", {"SANDBOX_REQUIRE": "L9"}, "SANDBOX_REQUIRE", "L9", "L3")
over_setting("unknown log level", {"LOG_LEVEL": "LOUD"}, "LOG_LEVEL", "LOUD")
over_setting("not built yet", {"CONFIRM": "delete"}, "not built yet", "CONFIRM")
over_setting("unknown option", {}, "--prot", "--port", args=("--prot", "1"))
over_setting("root as workspace", {"WORKSPACE_DIR": "/"}, "WORKSPACE_DIR")
over_setting("workspace that is not there", {"WORKSPACE_DIR": "/nowhere/at/all"}, "/nowhere/at/all")
over_setting("unknown name is an error when strict", {"BASH_TIMEOUT_DEFALT": "3"}, "BASH_TIMEOUT_DEFALT", "BASH_TIMEOUT_DEFAULT",
             args=("--strict-config",))


@row("bad settings", "non-loopback without a token")
def open_bind(stdio, http):
    server = Server("http", {"MCP_HOST": "0.0.0.0"}, wait=False)
    assert server.process.wait(30) != 0
    text = "".join(server.log)
    assert "MCP_AUTH_TOKEN" in text and "MCP_ALLOW_UNAUTHENTICATED" in text, text


@row("bad settings", "a secret's value is not shown")
def secret_value(stdio, http):
    done = start_with({"MCP_AUTH_TOKEN": "canary\nvalue", "LOG_LEVEL": "LOUD"})
    assert "canary" not in done.stderr, done.stderr


@row("bad settings", "a hostile config/custom.env in the current directory has no effect")
def hostile_directory(stdio, http):
    done = start_with({}, files=[("config/custom.env", "BASH_TIMEOUT_DEFAULT=oops\nCOMMAND_RESTRICTED=false\n"),
                                 ("config/default.env", "LOG_LEVEL=oops\n"), (".env", "LOG_LEVEL=oops\n"),
                                 ("volume/config/custom.env", "LOG_LEVEL=oops\n")])
    assert done.returncode == 0 and "oops" not in done.stderr, done.stderr


def main():
    stdio, http = connect("stdio"), connect("http")
    counts, failed = {}, 0
    for noun, name, check in rows:
        counts[noun] = counts.get(noun, 0) + 1
        try:
            check(stdio, http)
            assert stdio.request("ping") == {} and http.request("ping") == {}
        except Exception as problem:
            failed += 1
            print(f"FAILED {noun}: {name}: {type(problem).__name__}: {problem}")
            if stdio.server.process.poll() is not None or http.server.process.poll() is not None:
                print("a server is gone; starting new ones")
            stdio, http = connect("stdio"), connect("http")
    for noun, count in counts.items():
        print(f"bad input: {noun}: {count} rows")
    assert all(count >= 3 for count in counts.values()), counts
    print(f"bad input: {len(rows) - failed} of {len(rows)} held")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
