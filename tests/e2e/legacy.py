#!/usr/bin/env python3
"""The legacy revisions over every transport: handshake, ping, tools, progress, cancellation, logging level, resources/read;
the GET stream, DELETE, keep-alive comments; authentication over the whole route table."""
import http.client
import json
import os
import socket
import sys
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from product import Client, HttpClient, RpcError, Server, StdioClient, events, unpack, wait_for  # noqa: E402

REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
FREE = {"COMMAND_RESTRICTED": "false"}
rows = []


def row(name):
    def register(function):
        rows.append((name, function))
        return function
    return register


class SseClient(Client):
    """The original's transport: GET /sse, POST /messages/."""

    def __init__(self, server, revision):
        super().__init__()
        self.server = server
        self.stream = socket.create_connection((server.host, server.port), timeout=60)
        self.stream.sendall(b"GET /sse HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
        self.file = self.stream.makefile("rb")
        self.file.readline()
        while self.file.readline().strip():
            pass
        self.answers = {}
        event, data = self.event()
        assert event == "endpoint" and data.startswith("/messages/?session_id="), (event, data)
        assert len(urllib.parse.parse_qs(data.split("?")[1])["session_id"][0]) == 32, data
        self.endpoint = data
        self.initialize(revision)

    def event(self):
        event, data = "message", []
        while True:
            line = self.file.readline().decode().rstrip("\r\n")
            if line.startswith("event:"):
                event = line[6:].strip()
            elif line.startswith("data:"):
                data.append(line[5:].strip())
            elif not line and data:
                return event, "\n".join(data)

    def post(self, message):
        connection = http.client.HTTPConnection(self.server.host, self.server.port, timeout=60)
        connection.request("POST", self.endpoint, json.dumps(message), {"Content-Type": "application/json"})
        response = connection.getresponse()
        assert response.status == 202, (response.status, response.read())
        connection.close()

    def send(self, method, params=None):
        self.next_id += 1
        self.post({"jsonrpc": "2.0", "id": self.next_id, "method": method, **({} if params is None else {"params": params})})
        return self.next_id

    def notify(self, method, params=None):
        self.post({"jsonrpc": "2.0", "method": method, **({} if params is None else {"params": params})})

    def wait(self, wanted, timeout=60):
        while wanted not in self.answers:
            event, data = self.event()
            if event != "message" or not data.startswith("{"):  # chunk sizes of the transfer coding are passed over
                continue
            message = json.loads(data)
            if "method" in message:
                self.notifications.append(message)
            else:
                self.answers[message["id"]] = message
        if "error" in self.answers[wanted]:
            raise RpcError(self.answers[wanted]["error"])
        return self.answers[wanted]["result"]


def clients(revision):
    yield "stdio", StdioClient(Server("stdio", FREE), revision)
    server = Server("http", FREE)
    yield "http", HttpClient(server, revision)
    yield "sse", SseClient(server, revision)


for each in REVISIONS:
    @row(f"{each}: everything over every transport")
    def everything(revision=each):
        for transport, client in clients(revision):
            assert client.request("ping") == {}, transport
            tools = client.request("tools/list")["tools"]
            assert len(tools) >= 8 and all(tool["inputSchema"]["type"] == "object" for tool in tools), transport
            assert ("annotations" in tools[0]) == (revision != "2024-11-05"), transport
            has_output_schema = any("outputSchema" in tool for tool in tools)
            assert has_output_schema == (revision >= "2025-06-18"), (transport, revision)
            assert client.request("logging/setLevel", {"level": "warning"}) == {}, transport
            result = client.request("tools/call", {"name": "system_run_command", "arguments": {"command": "echo hi"}})
            assert ("structuredContent" in result) == (revision >= "2025-06-18"), (transport, revision)
            assert unpack(result)["stdout"] == "hi\n", transport
            assert client.call("file_write", {"path": "a b é.txt", "content": "x é\n"})["success"]
            for uri in ("file:///a%20b%20%C3%A9.txt", "file://a%20b%20%C3%A9.txt"):
                content = client.request("resources/read", {"uri": uri})["contents"][0]
                assert content["text"] == "x é\n" and content["uri"] == uri, (transport, content)
            for bad, code in (("file:///none.txt", -32002), ("file:///../etc/passwd", None), ("output:///nosuch/stdout", -32002), ("http://x/", None)):
                try:
                    client.request("resources/read", {"uri": bad})
                    raise AssertionError(f"{bad} was read")
                except RpcError as failure:
                    assert code is None or failure.code == code, (transport, bad, str(failure))
            try:
                client.request("logging/setLevel", {"level": "loud"})
                raise AssertionError("a level that does not exist was accepted")
            except RpcError as failure:
                assert failure.code == -32602


@row("progress: with a token, before the answer, increasing; none without")
def progress():
    for transport, client in clients("2025-11-25"):
        command = {"command": "for i in 1 2 3; do echo line $i; sleep 0.5; done"}
        client.wait(client.start_call("system_run_command", command, {"progressToken": 5}))
        steps = [n["params"] for n in client.notifications if n["method"] == "notifications/progress"]
        assert steps and all(step["progressToken"] == 5 for step in steps), (transport, client.notifications)
        values = [step["progress"] for step in steps]
        assert values == sorted(set(values)), values
        assert any("line" in step["message"] for step in steps), steps
        before = len(client.notifications)
        client.wait(client.start_call("system_run_command", command))
        assert len(client.notifications) == before, transport


@row("an image of a binary file is a blob")
def blob():
    for transport, client in clients("2025-06-18"):
        client.bash("printf '\\x89PNG\\x0d\\x0a\\x1a\\x0a\\x00' > p.png")
        content = client.request("resources/read", {"uri": "file:///p.png"})["contents"][0]
        assert content["blob"] == "iVBORw0KGgoA" and content["mimeType"] == "image/png", (transport, content)


@row("GET stream: one a session, the second replaces the first; DELETE ends both")
def get_stream():
    client = HttpClient(Server("http", FREE))

    def open_stream():
        stream = socket.create_connection((client.server.host, client.server.port), timeout=60)
        stream.sendall(f"GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nMcp-Session-Id: {client.session}\r\n\r\n".encode())
        head = b""
        while b"\r\n\r\n" not in head:
            head += stream.recv(4096)
        assert head.startswith(b"HTTP/1.1 200") and b"text/event-stream" in head.lower(), head
        return stream

    def closed(stream):
        while True:
            data = stream.recv(4096)
            if not data or data.endswith(b"0\r\n\r\n"):
                return True

    first = open_stream()
    second = open_stream()
    assert closed(first)
    assert client.request("ping") == {}
    assert client.exchange(None, method="DELETE")[0] in (200, 204)
    assert closed(second)


@row("SSE: statuses of POST /messages/")
def sse_statuses():
    server = Server("http", FREE)
    client = HttpClient(server, None)
    body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    for path, wanted in (("/messages/", 400), ("/messages/?session_id=xyz", 400), ("/messages/?session_id=" + "0" * 32, 404)):
        assert client.exchange(body, path=path)[0] == wanted, path
    status, headers, _ = client.exchange(None, method="GET", path="/messages/?session_id=" + "0" * 32)
    assert status == 405 and "POST" in headers["allow"], (status, headers)


@row("batch: only 2025-03-26")
def batch():
    server = Server("http", FREE)
    pings = [{"jsonrpc": "2.0", "id": n, "method": "ping"} for n in (1, 2)]
    client = HttpClient(server, "2025-03-26")
    status, headers, text = client.exchange(pings)
    messages = events(text) if "event-stream" in headers["content-type"] else json.loads(text)
    messages = [m for item in messages for m in (item if isinstance(item, list) else [item])]
    assert status == 200 and sorted(m["id"] for m in messages) == [1, 2], text
    status, _, text = HttpClient(server, "2025-11-25").exchange(pings)
    assert status == 400 and json.loads(text)["error"]["code"] == -32600, text


@row("wrong protocol version header: 400")
def version_header():
    client = HttpClient(Server("http", FREE))
    assert client.exchange({"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"MCP-Protocol-Version": "1999-01-01"})[0] == 400


@row("trailing slash is served without a redirect")
def trailing_slash():
    client = HttpClient(Server("http", FREE))
    assert client.exchange({"jsonrpc": "2.0", "id": 1, "method": "ping"}, path="/mcp/")[0] == 200


@row("authentication: every path and method but /health is 401 without the token")
def authentication():
    token = "a-token-of-this-test"
    server = Server("http", {**FREE, "MCP_AUTH_TOKEN": token})
    client = HttpClient(server, None)
    for path in ("/mcp", "/mcp/", "/sse", "/messages/?session_id=" + "0" * 32, "/files/x", "/metrics", "/", "/nowhere"):
        for method in ("GET", "POST", "PUT", "DELETE", "HEAD", "PATCH", "OPTIONS"):
            for authorization in (None, "Bearer wrong", "Bearer " + token + "x", "Bearer", "Basic " + token, token):
                headers = {"Authorization": authorization} if authorization else {}
                status, answer, _ = client.exchange({"jsonrpc": "2.0", "id": 1, "method": "ping"} if method in ("POST", "PUT", "PATCH") else None,
                                                    headers, method, path)
                assert status == 401 and answer["www-authenticate"].startswith("Bearer"), (path, method, authorization, status)
    status, _, text = client.exchange(None, {}, "GET", "/health")
    assert status == 200 and list(json.loads(text)) == ["status"], text
    status, _, text = client.exchange(None, {"Authorization": "Bearer " + token}, "GET", "/health")
    assert status == 200 and "level" in json.loads(text), text
    good = HttpClient(server, "2025-11-25", token)
    assert good.bash("echo in")["stdout"] == "in\n"
    assert not any(token in line for line in server.log), "the token is in the log"


@row("health tells a local peer the level")
def health():
    server = Server("http", FREE)
    report = wait_for(lambda: (lambda r: r if r.get("level") == "L3" else None)(
        json.loads(HttpClient(server, None).exchange(None, {}, "GET", "/health")[2])), "the level")
    assert report["status"] == "ok", report


def main():
    failed = 0
    for name, check in rows:
        try:
            check()
        except Exception as problem:
            failed += 1
            print(f"FAILED {name}: {type(problem).__name__}: {problem}")
    print(f"legacy era: {len(rows) - failed} of {len(rows)} rows held")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
