#!/usr/bin/env python3
"""HTTP as a strict client sees it: half-close, HEAD, pipelining, connections dropped, many clients at once, keep-alive
comments; memory and descriptors of the server stay flat."""
import http.client
import json
import os
import socket
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from product import HttpClient, Server, wait_for  # noqa: E402
from rows import Rows  # noqa: E402

suite = Rows("strict HTTP")
row = suite.row
FREE = {"COMMAND_RESTRICTED": "false"}


def connect_to(server):
    return socket.create_connection((server.host, server.port), timeout=60)


def request(method, path, body=b"", headers=()):
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", *headers]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def post(client, message, method="POST"):
    headers = [f"{name}: {value}" for name, value in client.headers().items()]
    return request(method, "/mcp", json.dumps(message).encode(), headers)


def answer(file, head=False):
    """(status, headers, body) of the next response on a connection; interim responses are passed over."""
    while True:
        status = int(file.readline().split()[1])
        headers = {}
        while line := file.readline().rstrip(b"\r\n"):
            name, value = line.split(b":", 1)
            headers[name.decode().lower()] = value.strip().decode()
        if status >= 200:
            break
    if head or status in (202, 204, 304) and "content-length" not in headers and "transfer-encoding" not in headers:
        return status, headers, b""
    if headers.get("transfer-encoding") == "chunked":
        body = b""
        while size := int(file.readline(), 16):
            body += file.read(size)
            assert file.read(2) == b"\r\n"
        assert file.readline() == b"\r\n"
        return status, headers, body
    return status, headers, file.read(int(headers["content-length"]))


def descriptors(server):
    return len(os.listdir(f"/proc/{server.process.pid}/fd"))


@row("pipelined requests are answered in their order")
def pipelining():
    client = HttpClient(Server("http", FREE))
    with connect_to(client.server) as connection:
        calls = [{"jsonrpc": "2.0", "id": n, "method": "ping"} for n in range(30)]
        calls[7] = {"jsonrpc": "2.0", "id": 7, "method": "tools/call",
                    "params": {"name": "system_run_command", "arguments": {"command": "sleep 0.1; echo slow"}}}
        connection.sendall(b"".join(post(client, call) for call in calls) + request("GET", "/health") + request("HEAD", "/health"))
        file = connection.makefile("rb")
        for call in calls:
            status, headers, body = answer(file)
            text = body.decode()
            if headers["content-type"].startswith("text/event-stream"):
                text = text.split("data: ", 1)[1].split("\n", 1)[0]
            assert status == 200 and json.loads(text)["id"] == call["id"], (call, text)
        assert answer(file)[0] == 200
        status, headers, _ = answer(file, head=True)
        assert status in (200, 405), status


@row("HEAD has the headers of GET and no body; the connection goes on")
def head():
    server = Server("http", FREE)
    with connect_to(server) as connection:
        file = connection.makefile("rb")
        for path in ("/health", "/nowhere", "/mcp", "/sse", "/messages/"):
            connection.sendall(request("HEAD", path))
            status, headers, _ = answer(file, head=True)
            assert status in (200, 404, 405), (path, status)
            if status == 405:
                assert headers["allow"], path
            connection.sendall(request("GET", "/health"))
            assert answer(file)[0] == 200, path


@row("half-closed: what was asked is answered, then the connection ends")
def half_close():
    client = HttpClient(Server("http", FREE))
    slow = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "system_run_command", "arguments": {"command": "sleep 1; echo done"}}}
    for call in ({"jsonrpc": "2.0", "id": 1, "method": "ping"}, slow):
        with connect_to(client.server) as connection:
            connection.sendall(post(client, call))
            connection.shutdown(socket.SHUT_WR)
            file = connection.makefile("rb")
            status, _, body = answer(file)
            assert status == 200 and b'"id":1' in body, (status, body)
            assert file.read() == b""
    with connect_to(client.server) as connection:  # half a request
        connection.sendall(post(client, slow)[:-5])
        connection.shutdown(socket.SHUT_WR)
        file = connection.makefile("rb")
        assert answer(file)[0] == 400 and file.read() == b""
    with connect_to(client.server) as connection:  # nothing at all
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(100) == b""


@row("keep-alive comments on the GET stream, /sse and a long POST within 20 s, and the answer after them")
def comments():
    client = HttpClient(Server("http", FREE))
    long_call = {"jsonrpc": "2.0", "id": 9, "method": "tools/call",
                 "params": {"name": "system_run_command", "arguments": {"command": "sleep 18; echo done", "timeout": 60}}}
    streams = {"get": request("GET", "/mcp", headers=["Accept: text/event-stream", f"Mcp-Session-Id: {client.session}"]),
               "sse": request("GET", "/sse", headers=["Accept: text/event-stream"]), "post": post(client, long_call)}
    open_streams, found = {}, {}
    for name, text in streams.items():
        open_streams[name] = connect_to(client.server)
        open_streams[name].sendall(text)
    end = time.monotonic() + 60

    def watch(name):
        seen = b""
        while b"\n: keep-alive\n" not in seen.replace(b"\r", b"") and time.monotonic() < end:
            data = open_streams[name].recv(65536)
            if not data:
                break
            seen += data
        found[name] = b": keep-alive" in seen
        if name == "post":
            while b'"id":9' not in seen and time.monotonic() < end:
                seen += open_streams[name].recv(65536)
            found["answer"] = b"done" in seen

    threads = [threading.Thread(target=watch, args=(name,)) for name in streams]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    [stream.close() for stream in open_streams.values()]
    assert found == {"get": True, "sse": True, "post": True, "answer": True}, found


@row("1,000 connections opened and dropped leave nothing behind")
def dropped():
    client = HttpClient(Server("http", FREE))
    server = client.server
    # Ids that the client's own requests never reach: those of dropped connections may still be in progress.
    ping = {"jsonrpc": "2.0", "id": 9001, "method": "ping"}
    call = {"jsonrpc": "2.0", "id": 9002, "method": "tools/call", "params": {"name": "file_list", "arguments": {}}}
    pieces = [b"", b"G", b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{", post(client, ping), post(client, call),
              request("GET", "/sse", headers=["Accept: text/event-stream"]), request("GET", "/health"), b"\x16\x03\x01\x02\x00\x01"]

    def round_of(count):
        for start in range(0, count, 100):
            batch = [connect_to(server) for _ in range(100)]
            for index, connection in enumerate(batch):
                connection.sendall(pieces[(start + index) % len(pieces)])
            for index, connection in enumerate(batch):
                if index % 3 == 0:  # a reset instead of a farewell
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
                connection.close()
        assert client.request("ping") == {}

    before = descriptors(server)
    round_of(200)  # buffers and arenas reach their size
    wait_for(lambda: descriptors(server) <= before + 2, "the descriptors of dropped connections")
    memory = server.rss_kb()
    round_of(1000)
    wait_for(lambda: descriptors(server) <= before + 2, "the descriptors of dropped connections")
    grown = server.rss_kb() - memory
    limit = 8192 if not any(name in os.environ for name in ("ASAN_OPTIONS", "TSAN_OPTIONS")) else 262144
    assert grown < limit, f"{grown} KB more after 1,000 connections"
    assert client.bash("echo still")["stdout"] == "still\n"


@row("64 clients with 50 calls each: every answer is the right one")
def many():
    server = Server("http", FREE)
    HttpClient(server).call("file_write", {"path": "shared.txt", "content": "shared"})
    before, wrong, done = descriptors(server), [], []

    def work(number):
        try:
            client = HttpClient(server)
            connection = http.client.HTTPConnection(server.host, server.port, timeout=120)
            for turn in range(50):
                mark = f"{number}-{turn}"
                kind = turn % 5
                name, arguments = [("file_write", {"path": f"c{number}.txt", "content": mark}), ("file_read", {"path": f"c{number}.txt"}),
                                   ("file_read", {"path": "shared.txt"}), ("file_list", {"pattern": f"c{number}.txt"}),
                                   ("system_env_var", {"var_name": "HOME"})][kind]
                if turn == 24:
                    name, arguments = "system_run_command", {"command": f"echo {mark}"}
                connection.request("POST", "/mcp", json.dumps({"jsonrpc": "2.0", "id": mark, "method": "tools/call",
                                                               "params": {"name": name, "arguments": arguments}}), client.headers())
                text = connection.getresponse().read().decode()
                if not text.startswith("{"):
                    text = text.split("data: {", 1)[1].split("\n", 1)[0].join(["{", ""])
                message = json.loads(text)
                assert message["id"] == mark, message
                if message["result"].get("isError"):
                    assert name == "system_run_command" and "busy" in text, text  # the limit of runs, said as such
                    done.append(mark)
                    continue
                value = json.loads(message["result"]["content"][0]["text"])
                good = {0: lambda: value["success"], 1: lambda: value["content"] == f"{number}-{turn - 1}",
                        2: lambda: value["content"] == "shared", 3: lambda: len(value["entries"]) == 1,
                        4: lambda: "variables" in value}[kind]
                assert value["stdout"] == mark + "\n" if turn == 24 else good(), (mark, value)
                done.append(mark)
            connection.close()
        except Exception as problem:
            wrong.append(f"client {number}: {type(problem).__name__}: {problem}")

    def everybody():
        threads = [threading.Thread(target=work, args=(number,)) for number in range(64)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]

    everybody()
    assert not wrong and len(done) == 64 * 50, (len(done), wrong[:3])
    memory = server.rss_kb()
    everybody()
    assert not wrong and len(done) == 2 * 64 * 50, (len(done), wrong[:3])
    wait_for(lambda: descriptors(server) <= before + 4, "the descriptors of ended clients")
    grown = server.rss_kb() - memory
    assert grown < 16384 or "ASAN_OPTIONS" in os.environ or "TSAN_OPTIONS" in os.environ, f"{grown} KB more after the second turn"


if __name__ == "__main__":
    sys.exit(suite.main())
