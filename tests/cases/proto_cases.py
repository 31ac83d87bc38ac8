"""PROTO-*: what strict clients, impatient clients and strangers get."""
import http.client
import json
import os
import signal
import socket
import subprocess
import time

from product import (BINARY, Client, HttpClient, RpcError, Server, StdioClient, connect, descendants, processes_with, unpack, wait_for)
from registry import FREE, case, contains, equal, table


# PROTO-01: malformed lines ------------------------------------------------------------------------------------------------
@table("PROTO-01", {
    "text": b"NOT JSON\n", "cut_off": b'{"jsonrpc":"2.0","id":7,\n', "bad_bytes": b"\xff\xfe\n", "nul": b"\x00\n",
    "two_values": b'{} {}\n', "deep": b"[" * 100000 + b"\n", "huge_number": b'{"jsonrpc":"2.0","id":1e400,"method":"ping"}\n',
    "lone_surrogate": b'{"jsonrpc":"2.0","id":1,"method":"\\ud800"}\n', "cut_string": b'{"a":"\n',
})
def proto_01(line):
    client = connect()
    client.raw(line)
    message = client.next_message()
    equal((message["error"]["code"], message["id"], message["jsonrpc"]), (-32700, None, "2.0"), str(message))
    equal(client.request("ping"), {})


@table("PROTO-01", {"blank": b"\n", "spaces": b"   \n", "carriage_return": b"\r\n", "many_blanks": b"\n" * 1000})
def proto_01_blank(line):
    client = connect()
    client.raw(line)
    equal(client.request("ping"), {})
    equal(client.stray, [])


@case("PROTO-01", "all_at_once_then_ping")
def proto_01_all():
    client = connect()
    client.raw(b'NOT JSON\n{"jsonrpc":"2.0","id":7,\n\xff\xfe\n\n{"jsonrpc":"2.0","id":"p","method":"ping"}\n')
    got = [client.next_message() for _ in range(4)]
    equal([m.get("error", {}).get("code") for m in got], [-32700, -32700, -32700, None])
    equal(got[3], {"jsonrpc": "2.0", "id": "p", "result": {}})


# PROTO-03: the server ends with its client ----------------------------------------------------------------------------------
@case("PROTO-03", "no_input")
def proto_03_null():
    server = Server("stdio", stdin=subprocess.DEVNULL)
    equal(server.process.wait(30), 0)


@case("PROTO-03", "end_of_input_when_idle")
def proto_03_idle():
    client = connect()
    client.server.process.stdin.close()
    equal(client.server.process.wait(30), 0)


@case("PROTO-03", "end_of_input_while_running")
def proto_03_running():
    client = connect(settings=FREE)
    client.start_call("system_run_command", {"command": "sleep 311", "timeout": 100})
    wait_for(lambda: processes_with("sleep\x00311"), "the run")
    client.server.process.stdin.close()
    equal(client.server.process.wait(30), 0)
    wait_for(lambda: not processes_with("sleep\x00311"), "the sandbox to be gone")


@case("PROTO-03", "client_killed")
def proto_03_client_killed():
    """The parent that holds both pipes is killed: the server and its sandboxes end."""
    script = ("import sys, time; sys.path.insert(0, %r)\nfrom product import connect\n"
              "c = connect(settings={'COMMAND_RESTRICTED': 'false'})\n"
              "c.start_call('system_run_command', {'command': 'sleep 312', 'timeout': 100})\n"
              "print(c.server.process.pid, flush=True); time.sleep(1000)" % os.path.dirname(os.path.abspath(__import__('product').__file__)))
    parent = subprocess.Popen(["python3", "-c", script], stdout=subprocess.PIPE)
    server = int(parent.stdout.readline())
    wait_for(lambda: processes_with("sleep\x00312"), "the run")
    parent.kill()
    parent.wait()
    wait_for(lambda: not os.path.exists(f"/proc/{server}"), "the server to end")
    wait_for(lambda: not processes_with("sleep\x00312"), "the sandbox to be gone")


@table("PROTO-03", {"sigterm": signal.SIGTERM, "sigint": signal.SIGINT, "sigkill": signal.SIGKILL})
def proto_03_signal(number):
    server = Server("http", FREE)
    client = HttpClient(server)
    client.start_call("system_run_command", {"command": f"sleep 32{int(number)}", "timeout": 100})
    marker = f"sleep\x0032{int(number)}"
    wait_for(lambda: processes_with(marker), "the run")
    below = server.descendants()
    server.process.send_signal(number)
    code = server.process.wait(30)
    if number != signal.SIGKILL:
        equal(code, 0)
    wait_for(lambda: not processes_with(marker), "the sandbox to be gone")
    wait_for(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in below), "every process below to be gone")


# PROTO-06: cancel --------------------------------------------------------------------------------------------------------
@table("PROTO-06", {"bash": ("system_run_command", {"command": "sleep 331", "timeout": 100}, "sleep\x00331"),
                    "python": ("system_run_python", {"code": "import subprocess; subprocess.run(['sleep','332'])", "timeout": 100}, "sleep\x00332"),
                    "trapping": ("system_run_command", {"command": "trap '' TERM INT; sleep 333; sleep 333", "timeout": 100}, "sleep\x00333")})
def proto_06(row):
    tool, arguments, marker = row
    client = connect(settings=FREE)
    identifier = client.start_call(tool, arguments)
    wait_for(lambda: processes_with(marker), "the run")
    client.notify("notifications/cancelled", {"requestId": identifier, "reason": "enough"})
    equal(client.request("ping"), {})
    wait_for(lambda: not processes_with(marker), "the process tree to be dead")
    for late in (99, identifier, "x", None):
        client.notify("notifications/cancelled", {"requestId": late})
    equal(client.request("ping"), {})
    assert identifier not in client.answers, "a cancelled request gets no answer"
    equal(client.bash("echo free")["stdout"], "free\n", "the slot is free again")


@case("PROTO-06", "http_stream_is_closed")
def proto_06_http():
    server = Server("http", FREE)
    client = HttpClient(server)
    identifier = client.start_call("system_run_command", {"command": "sleep 334", "timeout": 100}, {"progressToken": "t"})
    wait_for(lambda: processes_with("sleep\x00334"), "the run")
    client.notify("notifications/cancelled", {"requestId": identifier})
    try:
        client.wait(identifier)
        raise AssertionError("a cancelled request was answered")
    except AssertionError as failure:
        contains(str(failure), "without an answer")
    except (json.JSONDecodeError, http.client.HTTPException, ConnectionError):
        pass  # the stream was closed without an answer
    wait_for(lambda: not processes_with("sleep\x00334"), "the process tree to be dead")
    equal(client.request("ping"), {})


# PROTO-07: session ids ----------------------------------------------------------------------------------------------------
def statuses(client, session):
    headers = {"Mcp-Session-Id": session} if session is not None else {}
    client.session = None
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    found = [client.exchange(ping, headers)[0]]
    if session is not None:
        found.append(client.exchange(None, {**headers, "Accept": "text/event-stream"}, "GET")[0])
        found.append(client.exchange(None, headers, "DELETE")[0])
    return found


@table("PROTO-07", {"forged": "forged-id", "empty_like": "-", "long": "A" * 4000, "base64": "QUJDREVGR0hJSktMTU5PUA"})
def proto_07_forged(session):
    client = HttpClient(Server("http"))
    equal(statuses(client, session), [404, 404, 404])


@case("PROTO-07", "flipped_signature")
def proto_07_flipped():
    client = HttpClient(Server("http"))
    session = client.session
    for position in (0, len(session) // 2, len(session) - 1):
        flipped = session[:position] + ("A" if session[position] != "A" else "B") + session[position + 1:]
        equal(statuses(client, flipped)[0], 404, f"position {position}")


@case("PROTO-07", "ended_by_delete")
def proto_07_deleted():
    client = HttpClient(Server("http"))
    session = client.session
    contains((200, 204), client.exchange(None, method="DELETE")[0])
    equal(statuses(client, session), [404, 404, 404])


@case("PROTO-07", "missing")
def proto_07_missing():
    client = HttpClient(Server("http"))
    equal(statuses(client, None), [400])
    equal(client.exchange(None, {"Accept": "text/event-stream"}, "GET")[0], 405)


@case("PROTO-07", "continues_after_a_restart")
def proto_07_restart():
    server = Server("http")
    client = HttpClient(server)
    session = client.session
    ended = HttpClient(server)
    gone = ended.session
    ended.exchange(None, method="DELETE")
    server.stop()
    again = Server("http", {"SANDBOX_ROOT": server.root, "STATE_DIR": server.state}) if server.uid is None else \
        restarted(server)
    client.server, client.session = again, session
    equal(client.request("ping"), {})
    assert client.request("tools/list")["tools"], "the session goes on"
    equal(statuses(client, gone), [404, 404, 404], "an ended session stays ended")


def restarted(server):
    """The same server again, under the same uid and with the same directories."""
    os.environ.pop("CMCP_SAME_UID", None)
    import product
    original = product.fresh_uid
    product.fresh_uid = lambda: server.uid
    try:
        return Server("http", {"SANDBOX_ROOT": server.root, "STATE_DIR": server.state})
    finally:
        product.fresh_uid = original


# PROTO-09: a slow call delays nobody ---------------------------------------------------------------------------------------
@table("PROTO-09", {"stdio": "stdio", "http": "http"})
def proto_09(transport):
    client = connect(transport, settings=FREE)
    client.call("file_write", {"path": "a.txt", "content": "x"})
    slow = client.start_call("system_run_command", {"command": "sleep 5; echo slow", "timeout": 60})
    wait_for(lambda: processes_with("sleep\x005"), "the slow run")
    equal(client.request("ping"), {})
    assert client.request("tools/list")["tools"]
    equal(client.call("file_read", {"path": "a.txt"})["content"], "x")
    equal(client.bash("echo quick")["stdout"], "quick\n")
    assert processes_with("sleep\x005"), "all of it was answered while the slow call still ran"
    equal(unpack(client.wait(slow))["stdout"], "slow\n")


@case("PROTO-09", "other_session")
def proto_09_sessions():
    server = Server("http", FREE)
    first, second = HttpClient(server), HttpClient(server)
    slow = first.start_call("system_run_python", {"code": "import time; time.sleep(5)", "timeout": 60})
    equal(second.request("ping"), {})
    equal(second.python("_ = 1")["result"], 1)
    assert server.descendants()
    first.wait(slow)


# PROTO-10: Host and Origin --------------------------------------------------------------------------------------------------
def status_of(server, path, headers, method="GET", body=None):
    connection = http.client.HTTPConnection(server.host, server.port, timeout=30)
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    for name, value in headers.items():
        connection.putheader(name, value)
    if body is not None:
        connection.putheader("Content-Length", str(len(body)))
    connection.endheaders(body)
    response = connection.getresponse()
    connection.close()
    return response.status


PATHS = ["/sse", "/mcp", "/health", "/metrics", "/messages/", "/files/x", "/nowhere", "/", "/.well-known/oauth-protected-resource"]


@table("PROTO-10", {
    "foreign_host": {"Host": "evil.example"}, "foreign_host_with_port": {"Host": "evil.example:8000"},
    "foreign_origin": {"Host": "localhost", "Origin": "https://evil.example"}, "null_origin": {"Host": "localhost", "Origin": "null"},
    "both": {"Host": "evil.example", "Origin": "http://evil.example"}, "host_suffix": {"Host": "localhost.evil.example"},
    "host_userinfo": {"Host": "localhost@evil.example"}, "origin_prefix": {"Host": "localhost", "Origin": "http://localhost.evil.example"},
    "empty_host": {"Host": ""}})
def proto_10(headers):
    server = Server("http")
    for path in PATHS:
        for method in ("GET", "POST", "DELETE", "OPTIONS"):
            contains((400, 403) if headers["Host"] in ("", "localhost@evil.example") else (403,),
                     status_of(server, path, headers, method, b"{}" if method == "POST" else None), f"{method} {path} {headers}")


@case("PROTO-10", "local_forms_work")
def proto_10_local():
    server = Server("http")
    for host in (f"localhost:{server.port}", f"[::1]:{server.port}", f"127.0.0.1:{server.port}", "localhost", "LOCALHOST"):
        equal(status_of(server, "/health", {"Host": host}), 200, host)
    equal(status_of(server, "/health", {"Host": "localhost", "Origin": f"http://localhost:{server.port}"}), 200)


@case("PROTO-10", "allow_list")
def proto_10_allowed():
    server = Server("http", {"MCP_ALLOWED_HOSTS": "mcp.example", "MCP_ALLOWED_ORIGINS": "https://app.example"})
    equal(status_of(server, "/health", {"Host": "mcp.example"}), 200)
    equal(status_of(server, "/health", {"Host": "mcp.example", "Origin": "https://app.example"}), 200)
    equal(status_of(server, "/health", {"Host": "other.example"}), 403)
    equal(status_of(server, "/health", {"Host": "mcp.example", "Origin": "https://other.example"}), 403)


# PROTO-11: revisions -----------------------------------------------------------------------------------------------------
@table("PROTO-11", {
    **{f"supported_{v}": (v, v) for v in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")},
    "old": ("1999-01-01", "2025-11-25"), "empty": ("", "2025-11-25"), "modern_has_no_handshake": ("2026-07-28", "2025-11-25"),
    "future": ("2099-01-01", "2025-11-25"), "number": (5, None), "missing": ("MISSING", None), "null": (None, None), "list": ([], None)})
def proto_11(row):
    asked, answered = row
    for transport in ("stdio", "http"):
        server = Server(transport)
        client = StdioClient(server, None) if transport == "stdio" else HttpClient(server, None)
        params = {"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}, "unknownField": 1}
        if asked == "MISSING":
            del params["protocolVersion"]
        try:
            equal(client.request("initialize", params)["protocolVersion"], answered, transport)
        except RpcError as failure:
            equal((failure.code, answered), (-32602, None), f"{transport}: {failure}")


# PROTO-15: notifications and ids ---------------------------------------------------------------------------------------------
@table("PROTO-15", {
    "initialized": {"method": "notifications/initialized"}, "roots": {"method": "notifications/roots/list_changed"},
    "unknown": {"method": "notifications/no/such"}, "no_such_method": {"method": "no/such"},
    "call_without_id": {"method": "tools/call", "params": {"name": "file_write", "arguments": {"path": "made.txt", "content": "x"}}},
    "cancelled_nothing": {"method": "notifications/cancelled", "params": {}}})
def proto_15_notification(message):
    for transport in ("stdio", "http"):
        client = connect(transport)
        client.notify(message["method"], message.get("params"))
        equal(client.request("ping"), {}, transport)
        if transport == "stdio":
            equal(client.stray, [])
        equal(client.call("file_list")["entries"], [], "no side effect without an id")


@table("PROTO-15", {"zero": 0, "text": "abc", "negative": -1, "fraction": 1.5, "large": 2**60, "empty_text": "", "unicode": "é"})
def proto_15_id_echoed(identifier):
    for transport in ("stdio", "http"):
        client = connect(transport)
        message = {"jsonrpc": "2.0", "id": identifier, "method": "ping"}
        if transport == "stdio":
            client.raw(json.dumps(message).encode() + b"\n")
            answer = client.next_message()
        else:
            answer = json.loads(client.exchange(message, {"Accept": "application/json"})[2])
        equal((answer["id"], type(answer["id"]), answer["result"]), (identifier, type(identifier), {}))


@table("PROTO-15", {"null": None, "object": {}, "true": True, "array": []})
def proto_15_id_refused(identifier):
    client = connect()
    client.raw(json.dumps({"jsonrpc": "2.0", "id": identifier, "method": "ping"}).encode() + b"\n")
    answer = client.next_message()
    equal((answer["error"]["code"], answer["id"]), (-32600, None))
    equal(client.request("ping"), {})


@case("PROTO-15", "unknown_method")
def proto_15_unknown():
    for transport in ("stdio", "http"):
        client = connect(transport)
        try:
            client.request("no/such")
            raise AssertionError("an unknown method was answered with a result")
        except RpcError as failure:
            equal(failure.code, -32601)
            contains(failure.message, "no/such")


@case("PROTO-15", "discover_without_meta")
def proto_15_discover():
    client = connect()
    try:
        client.request("server/discover", {})
        raise AssertionError("answered with a result")
    except RpcError as failure:
        equal(failure.code, -32602)
        contains(failure.message, "io.modelcontextprotocol/protocolVersion")
