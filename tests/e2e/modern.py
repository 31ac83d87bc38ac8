#!/usr/bin/env python3
"""Revision 2026-07-28 over HTTP: one row for each row of the status table, the envelope, discovery, and cancel by closing."""
import base64
import json
import os
import socket
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from product import HttpClient, Server, events, processes_with, wait_for  # noqa: E402

VERSION = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
INFO = "io.modelcontextprotocol/serverInfo"
META = {VERSION: "2026-07-28", CAPABILITIES: {}, "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"}}
rows = []


def row(name):
    def register(function):
        rows.append((name, function))
        return function
    return register


class Modern:
    def __init__(self, server):
        self.client = HttpClient(server, None)

    def post(self, method, params=None, headers=None, identifier=7, meta=META, drop=(), raw=None, http_method="POST"):
        params = dict(params or {})
        if meta is not None:
            params["_meta"] = meta
        message = {"jsonrpc": "2.0", "id": identifier, "method": method, "params": params}
        if identifier is None:
            del message["id"]
        sent = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method}
        if "name" in params or "uri" in params:
            sent["Mcp-Name"] = params.get("name", params.get("uri"))
        sent.update(headers or {})
        sent = {name: value for name, value in sent.items() if name not in drop}
        status, headers, text = self.client.exchange(message, sent, http_method, raw=raw)
        body = None
        if text:
            body = events(text)[-1] if "event-stream" in headers.get("content-type", "") else json.loads(text)
        return status, body


def error(answer, status, code, identifier=7):
    assert answer[0] == status, answer
    assert answer[1]["error"]["code"] == code, answer
    if identifier is not None:
        assert answer[1].get("id") == identifier, answer
    return answer[1]["error"]


def complete(answer):
    assert answer[0] == 200, answer
    result = answer[1]["result"]
    assert result["resultType"] == "complete", result
    assert result["_meta"][INFO]["name"] == "container-mcp" and result["_meta"][INFO]["version"], result
    return result


@row("ok: 200, result, resultType, serverInfo")
def ok(m):
    result = complete(m.post("tools/call", {"name": "system_run_python", "arguments": {"code": "_ = 6*7"}}))
    assert json.loads(result["content"][0]["text"])["result"] == 42


@row("ok: no arguments is {}")
def no_arguments(m):
    assert json.loads(complete(m.post("tools/call", {"name": "file_list"}))["content"][0]["text"])["success"]


@row("discover: only what can be used with _meta")
def discover(m):
    result = complete(m.post("server/discover"))
    assert result["supportedVersions"] == ["2026-07-28"] and "tools" in result["capabilities"], result
    assert isinstance(result["ttlMs"], int) and result["cacheScope"] in ("public", "private"), result


@row("tools/list: ttlMs and cacheScope, deterministic")
def tools_list(m):
    first, second = complete(m.post("tools/list")), complete(m.post("tools/list"))
    assert isinstance(first["ttlMs"], int) and first["ttlMs"] >= 0 and first["cacheScope"] in ("public", "private")
    assert first["tools"] == second["tools"] and len(first["tools"]) >= 8


@row("unknown tool: 200 -32602")
def unknown_tool(m):
    error(m.post("tools/call", {"name": "no_such_tool"}), 200, -32602)


@row("bad arguments: 200 isError")
def bad_arguments(m):
    result = complete(m.post("tools/call", {"name": "file_read", "arguments": {"path": 5}}))
    assert result["isError"] is True and "path" in result["content"][0]["text"], result


@row("missing _meta: 400 -32602 naming the keys")
def missing_meta(m):
    assert VERSION in error(m.post("tools/list", meta=None), 400, -32602)["message"]


@row("missing protocolVersion key: 400 -32602")
def missing_version(m):
    failure = error(m.post("tools/list", meta={CAPABILITIES: {}}), 400, -32602)
    assert VERSION in failure["message"], failure


@row("missing clientCapabilities key: 400 -32602")
def missing_capabilities(m):
    failure = error(m.post("tools/list", meta={VERSION: "2026-07-28"}), 400, -32602)
    assert CAPABILITIES in failure["message"], failure


@row("clientInfo is not required")
def no_client_info(m):
    complete(m.post("tools/list", meta={VERSION: "2026-07-28", CAPABILITIES: {}}))


@row("version header differs from the body: 400 -32020")
def header_mismatch(m):
    error(m.post("tools/list", headers={"MCP-Protocol-Version": "2025-11-25"}), 400, -32020)


@row("version header missing: 400 -32020")
def header_missing(m):
    error(m.post("tools/list", drop=("MCP-Protocol-Version",)), 400, -32020)


@row("Mcp-Method missing: 400 -32020")
def method_missing(m):
    error(m.post("tools/list", drop=("Mcp-Method",)), 400, -32020)


@row("Mcp-Method differs: 400 -32020")
def method_differs(m):
    error(m.post("tools/list", headers={"Mcp-Method": "tools/call"}), 400, -32020)


@row("Mcp-Name missing: 400 -32020")
def name_missing(m):
    error(m.post("tools/call", {"name": "file_list"}, drop=("Mcp-Name",)), 400, -32020)


@row("Mcp-Name differs: 400 -32020")
def name_differs(m):
    error(m.post("tools/call", {"name": "file_list"}, headers={"Mcp-Name": "file_read"}), 400, -32020)


@row("Mcp-Name in base64 form")
def name_base64(m):
    encoded = "=?base64?" + base64.b64encode(b"file_list").decode() + "?="
    complete(m.post("tools/call", {"name": "file_list"}, headers={"Mcp-Name": encoded}))
    error(m.post("tools/call", {"name": "file_list"}, headers={"Mcp-Name": "=?base64?###?="}), 400, -32020)


@row("version unknown: 400 -32022 with what is supported")
def version_unknown(m):
    failure = error(m.post("tools/list", meta={**META, VERSION: "2099-01-01"}, headers={"MCP-Protocol-Version": "2099-01-01"}), 400, -32022)
    assert failure["data"] == {"supported": ["2026-07-28"], "requested": "2099-01-01"}, failure


@row("body unknown, header known: -32020")
def version_unknown_header_known(m):
    error(m.post("tools/list", meta={**META, VERSION: "v999"}), 400, -32020)


for removed in ("initialize", "ping", "logging/setLevel", "resources/subscribe", "no/such"):
    @row(f"unknown or removed method {removed}: 404 -32601")
    def removed_method(m, method=removed):
        error(m.post(method), 404, -32601)


@row("notification: 202")
def notification(m):
    assert m.post("notifications/cancelled", {"requestId": 1}, identifier=None) == (202, None)


@row("GET without a session: 405")
def get(m):
    assert m.client.exchange(None, {"Accept": "text/event-stream"}, "GET")[0] == 405


@row("content type: 415")
def content_type(m):
    assert m.post("tools/list", headers={"Content-Type": "text/plain"})[0] == 415


@row("origin: 403")
def origin(m):
    assert m.post("tools/list", headers={"Origin": "https://evil.example"})[0] == 403


@row("modern header without _meta: 400 -32602")
def header_without_meta(m):
    assert CAPABILITIES in error(m.post("tools/list", {}, meta=None), 400, -32602)["message"]


@row("initialize with a modern header: 400 -32020")
def initialize_modern_header(m):
    error(m.post("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}, meta=None),
          400, -32020)


@row("an array with a modern element: 400 -32600")
def batch(m):
    element = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": META}}
    error(m.post("tools/list", raw=json.dumps([element]).encode()), 400, -32600, None)


@row("resource not found: -32602 with data.uri")
def resource(m):
    failure = error(m.post("resources/read", {"uri": "file:///nowhere.txt"}), 200, -32602)
    assert failure["data"]["uri"] == "file:///nowhere.txt", failure


@row("resources/read: ttlMs and cacheScope")
def resource_read(m):
    complete(m.post("tools/call", {"name": "file_write", "arguments": {"path": "r.txt", "content": "é"}}))
    result = complete(m.post("resources/read", {"uri": "file:///r.txt"}))
    assert result["contents"][0]["text"] == "é" and result["cacheScope"] == "private" and result["ttlMs"] >= 0, result


@row("progress comes before the result, strictly increasing")
def progress(m):
    message = {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {
        "name": "system_run_command", "arguments": {"command": "for i in 1 2 3; do echo line $i; sleep 0.4; done"},
        "_meta": {**META, "progressToken": "tok"}}}
    status, headers, text = m.client.exchange(message, {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call",
                                                        "Mcp-Name": "system_run_command"})
    assert status == 200 and "event-stream" in headers["content-type"], headers
    messages = events(text)
    steps = [item["params"] for item in messages if item.get("method") == "notifications/progress"]
    assert steps and all(step["progressToken"] == "tok" for step in steps), messages
    values = [step["progress"] for step in steps]
    assert values == sorted(set(values)) and any("line" in step.get("message", "") for step in steps), steps
    assert messages[-1]["id"] == 3 and "result" in messages[-1], messages[-1]


@row("closing the response stream kills the run")
def closing(m):
    server = m.client.server
    body = json.dumps({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {
        "name": "system_run_command", "arguments": {"command": "sleep 351", "timeout": 100}, "_meta": META}}).encode()
    with socket.create_connection((server.host, server.port)) as connection:
        connection.sendall((f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
                            "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n"
                            "Mcp-Method: tools/call\r\nMcp-Name: system_run_command\r\n\r\n").encode() + body)
        wait_for(lambda: processes_with("sleep\x00351"), "the run")
    wait_for(lambda: not processes_with("sleep\x00351"), "the run to be killed")


@row("legacy era: closing the connection does not cancel")
def legacy_closing(m):
    client = HttpClient(m.client.server)
    body = json.dumps({"jsonrpc": "2.0", "id": 900, "method": "tools/call", "params": {
        "name": "system_run_command", "arguments": {"command": "sleep 3; echo > done.txt", "timeout": 100}}}).encode()
    with socket.create_connection((client.server.host, client.server.port)) as connection:
        connection.sendall((f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
                            f"Accept: application/json, text/event-stream\r\nMcp-Session-Id: {client.session}\r\n\r\n").encode() + body)
        wait_for(lambda: processes_with("sleep 3; echo > done.txt"), "the run")
    wait_for(lambda: client.call("file_read", {"path": "done.txt"})["success"], "the run to finish although nobody listens")


def main():
    server = Server("http", {"COMMAND_RESTRICTED": "false"})
    failed = 0
    for name, check in rows:
        try:
            check(Modern(server))
        except Exception as problem:
            failed += 1
            print(f"FAILED {name}: {type(problem).__name__}: {problem}")
    print(f"modern era: {len(rows) - failed} of {len(rows)} rows held")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
