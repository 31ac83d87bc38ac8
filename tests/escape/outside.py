"""What drivers see from outside: listeners that count who came, processes by a marker, programs through both tools.

  from outside import BOTH, Counter, Mark, run_program, start_program
"""
import json
import socket
import threading

import product
from product import processes_with, wait_for

BOTH = ("bash", "python")
END = "END_OF_PROGRAM"


def as_bash(code):
    """A Python program as a bash command."""
    assert END not in code
    return f"exec python3 - <<'{END}'\n{code}\n{END}"


def arguments_of(tool, code, arguments):
    if tool == "bash":
        return "system_run_command", {"command": as_bash(code), **arguments}
    return "system_run_python", {"code": code, **arguments}


def alike(result):
    """Results of both tools with the same names."""
    return {**result, "stdout": result.get("stdout", result.get("output", "")), "stderr": result.get("stderr", result.get("error")) or ""}


def run_program(client, tool, code, **arguments):
    """The result of a Python program through one tool, with stdout and stderr."""
    return alike(client.call(*arguments_of(tool, code, arguments), timeout=180))


def start_program(client, tool, code, **arguments):
    """Starts it and returns the request's id; end_of() waits for its result."""
    return client.start_call(*arguments_of(tool, code, arguments))


def end_of(client, request):
    return alike(product.unpack(client.wait(request, timeout=180)))


def said(result):
    """The JSON that the program printed as its last line."""
    lines = result["stdout"].strip().splitlines()
    assert lines, f"the program said nothing: {result}"
    return json.loads(lines[-1])


class Counter:
    """Listens until close() and counts who came: TCP, UDP or Unix, by the address that is bound."""

    def __init__(self, family=socket.AF_INET, kind=socket.SOCK_STREAM, address=("127.0.0.1", 0)):
        self.socket = socket.socket(family, kind)
        self.socket.bind(address)
        self.stream = kind == socket.SOCK_STREAM
        if self.stream:
            self.socket.listen(16)
        self.socket.settimeout(0.2)
        self.name = self.socket.getsockname()
        self.count = 0
        self.open = True
        self.thread = threading.Thread(target=self._work, daemon=True)
        self.thread.start()

    def _work(self):
        while self.open:
            try:
                if self.stream:
                    self.socket.accept()[0].close()
                else:
                    self.socket.recvfrom(65536)
                self.count += 1
            except socket.timeout:
                continue
            except OSError:
                return

    def close(self):
        """The count, after everything that was under way has come."""
        self.open = False
        self.thread.join(5)
        self.socket.close()
        return self.count


def none_left(client, marker):
    """Waits until no process of the host has the marker in its command line, and only the launcher runs below the server."""
    wait_for(lambda: not processes_with(marker), f"no process with {marker}")
    wait_for(lambda: len(client.server.descendants()) <= 2, "nothing but the launcher below the server")
