"""A small MCP client for bin/jailcheck: any server over stdio, Streamable HTTP or the older HTTP+SSE, with the standard library
alone. Speaks revision 2025-11-25 and takes what the server answers."""
import http.client
import json
import os
import queue
import shlex
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.parse

REVISION = "2025-11-25"


class McpError(Exception):
    """What the server or the connection answered instead of a result."""


class Base:
    """initialize, tools/list and tools/call over request() and notify() of a transport."""

    def open(self):
        answer = self.request("initialize", {"protocolVersion": REVISION, "capabilities": {},
                                             "clientInfo": {"name": "jailcheck", "version": "1"}})
        self.revision = answer.get("protocolVersion", REVISION)
        self.server_info = answer.get("serverInfo", {})
        self.notify("notifications/initialized")
        return self

    def tools(self):
        found, cursor = [], None
        while True:
            answer = self.request("tools/list", {"cursor": cursor} if cursor else {})
            found += answer.get("tools", [])
            cursor = answer.get("nextCursor")
            if not cursor:
                return found

    def call(self, tool, arguments, timeout):
        return self.request("tools/call", {"name": tool, "arguments": arguments}, timeout)

    def message(self, method, params=None, identifier=None):
        message = {"jsonrpc": "2.0", "method": method}
        if identifier is not None:
            message["id"] = identifier
        if params is not None:
            message["params"] = params
        return message


def result_of(answer):
    if "error" in answer:
        raise McpError(answer["error"].get("message", str(answer["error"])))
    return answer["result"]


class StdioClient(Base):
    """A server that this program starts and ends; what it prints on standard error is kept for the report of a failure."""

    def __init__(self, command, environment=None):
        self.words = shlex.split(command) if isinstance(command, str) else list(command)
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(self.words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, bufsize=0,
                                        env=environment, start_new_session=True)
        self.answers = queue.Queue()
        self.next_id = 0
        threading.Thread(target=self._read, daemon=True).start()
        self.open()

    def _read(self):
        for line in self.process.stdout:
            try:
                self.answers.put(json.loads(line))
            except ValueError:
                continue  # not ours to judge: a server that also prints
        self.answers.put(None)

    def _send(self, message):
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
        except OSError as failure:
            raise McpError(f"the server closed its input: {failure}; it said: {self.said()}") from failure

    def said(self):
        self.errors.seek(0)
        return self.errors.read().decode("utf-8", "replace")[-1000:].strip()

    def notify(self, method, params=None):
        self._send(self.message(method, params))

    def request(self, method, params=None, timeout=60):
        self.next_id += 1
        identifier = self.next_id
        self._send(self.message(method, params, identifier))
        end = time.monotonic() + timeout
        while True:
            try:
                answer = self.answers.get(timeout=max(0.01, end - time.monotonic()))
            except queue.Empty:
                raise McpError(f"no answer to {method} within {timeout} s") from None
            if answer is None:
                raise McpError(f"the server ended; it said: {self.said()}")
            if answer.get("id") == identifier and "method" not in answer:
                return result_of(answer)

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)  # the session that was made for it
            self.process.wait()


def connection_to(url, timeout):
    parts = urllib.parse.urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    path = (parts.path or "/") + ("?" + parts.query if parts.query else "")
    return kind(parts.hostname, parts.port, timeout=timeout), path


def events_of(stream):
    """(event, data) of a text/event-stream, as they come."""
    name, data = "message", []
    for line in stream:
        line = line.decode("utf-8", "replace").rstrip("\r\n")
        if not line:
            if data:
                yield name, "\n".join(data)
            name, data = "message", []
        elif line.startswith("event:"):
            name = line[6:].strip()
        elif line.startswith("data:"):
            data.append(line[5:].lstrip(" "))


class HttpClient(Base):
    """Streamable HTTP: a POST a message, answered as JSON or as an event stream."""

    def __init__(self, url, headers=None):
        self.url = url
        self.extra = headers or {}
        self.session = None
        self.revision = None
        self.next_id = 0
        self.open()

    def _headers(self):
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **self.extra}
        if self.session:
            headers["Mcp-Session-Id"] = self.session
        if self.revision:
            headers["MCP-Protocol-Version"] = self.revision
        return headers

    def _post(self, message, timeout):
        connection, path = connection_to(self.url, timeout)
        try:
            connection.request("POST", path, json.dumps(message).encode(), self._headers())
            response = connection.getresponse()
            self.session = response.getheader("Mcp-Session-Id") or self.session
            if "id" not in message:
                response.read()
                return None
            if "text/event-stream" in (response.getheader("Content-Type") or ""):
                for _, data in events_of(response):
                    answer = json.loads(data)
                    if answer.get("id") == message["id"] and "method" not in answer:
                        return answer
                raise McpError("the event stream ended without an answer")
            text = response.read().decode("utf-8", "replace")
            try:
                return json.loads(text)
            except ValueError:
                raise McpError(f"HTTP {response.status}: {text[:300]}") from None
        except OSError as failure:
            raise McpError(f"{self.url}: {failure}") from failure
        finally:
            connection.close()

    def notify(self, method, params=None):
        self._post(self.message(method, params), 60)

    def request(self, method, params=None, timeout=60):
        self.next_id += 1
        return result_of(self._post(self.message(method, params, self.next_id), timeout))

    def close(self):
        pass


class SseClient(Base):
    """The transport of revision 2024-11-05: answers on one stream, messages to the endpoint that its first event names."""

    def __init__(self, url, headers=None):
        self.url = url
        self.extra = headers or {}
        self.answers = queue.Queue()
        self.next_id = 0
        self.connection, path = connection_to(url, None)
        self.connection.request("GET", path, headers={"Accept": "text/event-stream", **self.extra})
        self.socket = self.connection.sock  # the response may take it from the connection
        response = self.connection.getresponse()
        if response.status != 200:
            raise McpError(f"HTTP {response.status} for GET {url}")
        self.reader = threading.Thread(target=self._read, args=(response,), daemon=True)
        self.reader.start()
        name, data = self._next(60)
        if name != "endpoint":
            raise McpError(f"the stream began with {name}, not with its endpoint")
        self.endpoint = urllib.parse.urljoin(url, data)
        self.open()

    def _read(self, response):
        try:
            for event in events_of(response):
                self.answers.put(event)
        except (OSError, ValueError, http.client.HTTPException):
            pass  # the end, told below
        self.answers.put(("end", ""))

    def _next(self, timeout):
        try:
            return self.answers.get(timeout=timeout)
        except queue.Empty:
            raise McpError(f"no event within {timeout} s") from None

    def notify(self, method, params=None):
        self._post(self.message(method, params))

    def _post(self, message):
        connection, path = connection_to(self.endpoint, 60)
        connection.request("POST", path, json.dumps(message).encode(), {"Content-Type": "application/json", **self.extra})
        response = connection.getresponse()
        text = response.read().decode("utf-8", "replace")
        connection.close()
        if response.status >= 300:
            raise McpError(f"HTTP {response.status}: {text[:300]}")

    def request(self, method, params=None, timeout=60):
        self.next_id += 1
        self._post(self.message(method, params, self.next_id))
        end = time.monotonic() + timeout
        while True:
            name, data = self._next(max(0.01, end - time.monotonic()))
            if name == "end":
                raise McpError("the stream ended")
            answer = json.loads(data) if name == "message" else {}
            if answer.get("id") == self.next_id and "method" not in answer:
                return result_of(answer)

    def close(self):
        # The reader ends at the end of its stream; closing it under the reader's hands would not be an end.
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.reader.join(10)
        self.connection.close()


def connect(target, headers=None):
    """A client for a URL (…/sse: the older transport) or a command (a string, or its words)."""
    if isinstance(target, str) and target.startswith(("http://", "https://")):
        older = urllib.parse.urlsplit(target).path.rstrip("/").endswith("/sse")
        return (SseClient if older else HttpClient)(target, headers)
    return StdioClient(target)
