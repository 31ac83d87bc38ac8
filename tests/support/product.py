"""Starts the product as its users do and speaks MCP to it, with the standard library only.

Used by tests/cases, tests/e2e, tests/identity and tests/soak. Every server started here ends with the test: it is killed
on exit, and everything below it dies with it. Nothing is shared: each server has its own directories and a free port.

CMCP_BINARY            the program under test (default: build/dev/container-mcp)
CMCP_TEST_IDENTITY     "root" (start as we are, as root) or "user" (start by setpriv as a fresh uid); default: as we are
"""
import atexit
import http.client
import json
import os
import queue
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BINARY = os.environ.get("CMCP_BINARY", os.path.join(ROOT, "build/dev/container-mcp"))
# Seconds that a condition is waited for on a busy machine (an emulated one gets more); never a measure of speed.
PATIENCE = float(os.environ.get("CMCP_TEST_PATIENCE", "60"))


def identity():
    """"root" or "user": how the server of this test is started."""
    wanted = os.environ.get("CMCP_TEST_IDENTITY", "root" if os.geteuid() == 0 else "user")
    return wanted


def fresh_uid():
    """A uid that no account and no other running test has: above the ranges of login and system users."""
    return 400000 + (os.getpid() * 7 + random.randrange(0, 7)) % 1000000


def wait_for(condition, what, seconds=PATIENCE):
    """Polls `condition` until it is true; fails with `what` when it never becomes true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.01)
    raise AssertionError(f"waited {seconds} s in vain for: {what}")


class Scratch:
    """A directory of this test that the server's uid owns; removed at exit."""

    def __init__(self, uid=None):
        self.path = tempfile.mkdtemp(prefix="cmcp-test-")
        os.chmod(self.path, 0o755)
        self.uid = uid
        if uid is not None:
            os.chown(self.path, uid, uid)
        atexit.register(shutil.rmtree, self.path, ignore_errors=True)

    def make(self, name):
        path = os.path.join(self.path, name)
        os.makedirs(path, exist_ok=True)
        if self.uid is not None:
            os.chown(path, self.uid, self.uid)
        return path


class RpcError(Exception):
    def __init__(self, error):
        super().__init__(json.dumps(error))
        self.code = error.get("code")
        self.message = error.get("message", "")
        self.data = error.get("data")


class Server:
    """One running product: over stdio or HTTP. `settings` are environment variables; the rest of the environment is clean."""

    def __init__(self, transport="stdio", settings=None, args=(), extra_env=None, workspace=None, wait=True, cwd=None,
                 stdin=None, who=None, wrap=None):
        self.transport = transport
        who = who or identity()
        self.uid = fresh_uid() if (who == "user" and os.geteuid() == 0) else None
        self.scratch = Scratch(self.uid)
        # Not made here: the server makes what is missing, for the user that it runs as.
        self.root = os.path.join(self.scratch.path, "sandbox")
        self.state = os.path.join(self.scratch.path, "state")
        self.home = self.scratch.make("home")
        self.workspace = workspace or os.path.join(self.root, "files")
        env = {"PATH": "/usr/bin:/bin", "HOME": self.home, "SANDBOX_ROOT": self.root, "STATE_DIR": self.state,
               "LOG_LEVEL": "INFO"}
        if workspace:
            env["WORKSPACE_DIR"] = workspace
        for passed in ("ASAN_OPTIONS", "TSAN_OPTIONS", "CMCP_TEST_DISABLE_LAYER"):
            if passed in os.environ:
                env[passed] = os.environ[passed]
        env.update(extra_env or {})
        env.update(settings or {})
        command = [BINARY]
        command += ["--stdio"] if transport == "stdio" else ["serve", "--port", "0"]
        command += list(args)
        if self.uid is not None:
            command = ["setpriv", "--reuid", str(self.uid), "--regid", str(self.uid), "--clear-groups", "--"] + command
        # A command line in front of it, made when uid and directory are known: wrap(uid, scratch) -> [word…].
        command = (wrap(self.uid, self.scratch) if wrap else []) + command
        self.log = []
        self.process = subprocess.Popen(command, env=env, cwd=cwd or self.scratch.path, stdin=stdin or subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)
        atexit.register(self.stop)
        self.log_reader = threading.Thread(target=self._read_log, daemon=True)
        self.log_reader.start()
        self.url = None
        if transport == "http" and wait:
            wait_for(lambda: self._find_url() or self.process.poll() is not None, "the line that names the URL")
            if self.url is None:
                raise AssertionError("the server did not start:\n" + "".join(self.log))

    def _read_log(self):
        for line in self.process.stderr:
            self.log.append(line.decode("utf-8", "replace"))

    def _find_url(self):
        for line in list(self.log):
            found = re.search(r"http://(127\.0\.0\.1):(\d+)", line)
            if found:
                self.host, self.port = found.group(1), int(found.group(2))
                self.url = f"http://{self.host}:{self.port}"
                return self.url
        return None

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self._fail_on_report()
        return self.process.returncode

    def _fail_on_report(self):
        """What a sanitizer said of the server ends the test, whatever its rows held: this runs at exit too, where an
        exception would change nothing."""
        self.log_reader.join(5)
        log = "".join(self.log)
        if re.search(r"(Address|Leak|Thread|UndefinedBehavior)Sanitizer|: runtime error: ", log):
            sys.stderr.write("a sanitizer reported on the server:\n" + log[-20000:])
            sys.stderr.flush()
            os._exit(1)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def descendants(self):
        """Pids of all processes below the server, as the host sees them."""
        return descendants(self.process.pid)

    def rss_kb(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1))


def descendants(pid):
    children = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat", "rb") as stat:
                    parent = int(stat.read().rsplit(b")", 1)[1].split()[1])
            except (OSError, IndexError):
                continue
            children.setdefault(parent, []).append(int(entry))
    found, todo = [], [pid]
    while todo:
        for child in children.get(todo.pop(), []):
            found.append(child)
            todo.append(child)
    return found


def processes_with(text):
    """Pids whose command line holds `text` (a marker that the test chose)."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit() and int(entry) != os.getpid():
            try:
                with open(f"/proc/{entry}/cmdline", "rb") as cmdline:
                    if text.encode() in cmdline.read():
                        found.append(int(entry))
            except OSError:
                continue
    return found


class Client:
    """Common part of the two clients: requests by id, answers in any order, notifications collected."""

    def __init__(self):
        self.next_id = 0
        self.notifications = []

    def request(self, method, params=None, timeout=PATIENCE):
        return self.wait(self.send(method, params), timeout)

    def initialize(self, revision="2025-11-25"):
        result = self.request("initialize", {"protocolVersion": revision, "capabilities": {},
                                             "clientInfo": {"name": "product-test", "version": "1"}})
        self.notify("notifications/initialized")
        return result

    def call(self, tool, arguments=None, timeout=PATIENCE):
        """The tool's object (structuredContent, or the text block's JSON); a refusal comes back with "refused": True."""
        params = {"name": tool}
        if arguments is not None:
            params["arguments"] = arguments
        return unpack(self.request("tools/call", params, timeout))

    def start_call(self, tool, arguments, meta=None):
        params = {"name": tool, "arguments": arguments}
        if meta:
            params["_meta"] = meta
        return self.send("tools/call", params)

    def bash(self, command, **more):
        return self.call("system_run_command", {"command": command, **more})

    def python(self, code, **more):
        return self.call("system_run_python", {"code": code, **more})


def unpack(result):
    text = json.loads(result["content"][0]["text"])
    if result.get("isError"):
        assert "structuredContent" not in result, result
        return {"refused": True, **text}
    if "structuredContent" in result:
        assert result["structuredContent"] == text, (result["structuredContent"], text)
    return text


class StdioClient(Client):
    def __init__(self, server, revision="2025-11-25"):
        super().__init__()
        self.server = server
        self.lines = queue.Queue()
        self.answers = {}
        self.stray = []
        threading.Thread(target=self._read, daemon=True).start()
        if revision:
            self.initialize(revision)

    def _read(self):
        for line in self.server.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def raw(self, data):
        self.server.process.stdin.write(data)

    def send(self, method, params=None):
        self.next_id += 1
        message = {"jsonrpc": "2.0", "id": self.next_id, "method": method}
        if params is not None:
            message["params"] = params
        self.raw(json.dumps(message).encode() + b"\n")
        return self.next_id

    def notify(self, method, params=None):
        message = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message["params"] = params
        self.raw(json.dumps(message).encode() + b"\n")

    def next_message(self, timeout=PATIENCE):
        try:
            line = self.lines.get(timeout=timeout)
        except queue.Empty:
            raise AssertionError("no message within %s s; log:\n%s" % (timeout, "".join(self.server.log[-20:])))
        if line is None:
            raise AssertionError("the server closed its output; log:\n" + "".join(self.server.log[-20:]))
        return json.loads(line)

    def wait(self, wanted, timeout=PATIENCE):
        end = time.monotonic() + timeout
        while wanted not in self.answers:
            message = self.next_message(max(0.01, end - time.monotonic()))
            if "method" in message:
                self.notifications.append(message)
            elif message.get("id") is None or message["id"] in self.answers:
                self.stray.append(message)
            else:
                self.answers[message["id"]] = message
        answer = self.answers[wanted]
        if "error" in answer:
            raise RpcError(answer["error"])
        return answer["result"]


class HttpClient(Client):
    """Streamable HTTP, legacy era: each request on a connection and thread of its own."""

    def __init__(self, server, revision="2025-11-25", token=None):
        super().__init__()
        self.server = server
        self.revision = revision
        self.token = token
        self.session = None
        self.pending = {}
        self.lock = threading.Lock()
        if revision:
            self.initialize(revision)

    def headers(self, more=None):
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if self.session:
            headers["Mcp-Session-Id"] = self.session
            headers["MCP-Protocol-Version"] = self.revision
        if self.token:
            headers["Authorization"] = "Bearer " + self.token
        headers.update(more or {})
        return headers

    def exchange(self, message, headers=None, method="POST", path="/mcp", raw=None, timeout=PATIENCE):
        """(status, headers, body text) of one HTTP exchange."""
        connection = http.client.HTTPConnection(self.server.host, self.server.port, timeout=timeout)
        body = raw if raw is not None else (None if message is None else json.dumps(message).encode())
        connection.request(method, path, body, self.headers(headers))
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        return response.status, dict((k.lower(), v) for k, v in response.getheaders()), text

    def send(self, method, params=None):
        self.next_id += 1
        message = {"jsonrpc": "2.0", "id": self.next_id, "method": method}
        if params is not None:
            message["params"] = params
        box = queue.Queue()
        self.pending[self.next_id] = box

        def work(identifier=self.next_id):
            try:
                status, headers, text = self.exchange(message)
                if method == "initialize" and "mcp-session-id" in headers:
                    self.session = headers["mcp-session-id"]
                messages = events(text) if "text/event-stream" in headers.get("content-type", "") else [json.loads(text)]
                answer = None
                for item in messages:
                    if "method" in item:
                        self.notifications.append(item)
                    elif item.get("id") == identifier:
                        answer = item
                box.put((status, answer))
            except Exception as failure:  # reported by wait()
                box.put((0, failure))

        threading.Thread(target=work, daemon=True).start()
        return self.next_id

    def notify(self, method, params=None):
        message = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message["params"] = params
        status, _, text = self.exchange(message)
        assert status == 202 and text == "", (status, text)

    def wait(self, wanted, timeout=PATIENCE):
        try:
            status, answer = self.pending[wanted].get(timeout=timeout)
        except queue.Empty:
            raise AssertionError(f"no answer to {wanted} within {timeout} s")
        if isinstance(answer, Exception):
            raise answer
        if answer is None:
            raise AssertionError(f"HTTP {status} without an answer to {wanted}")
        if "error" in answer:
            raise RpcError(answer["error"])
        return answer["result"]


def events(text):
    """The JSON messages of an event stream."""
    found = []
    for block in re.split(r"\r?\n\r?\n", text):
        data = "\n".join(line[5:].lstrip(" ") for line in block.splitlines() if line.startswith("data:"))
        if data.strip():
            found.append(json.loads(data))
    return found


def connect(transport="stdio", settings=None, **more):
    """A started server with a connected client: the usual beginning of a test."""
    server = Server(transport, settings, **more)
    return StdioClient(server) if transport == "stdio" else HttpClient(server)
