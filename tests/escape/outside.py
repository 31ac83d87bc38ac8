"""What drivers see from outside: listeners that count who came, processes by a marker, programs through both tools.

  from outside import BOTH, Counter, run_program, start_program
"""
import contextlib
import json
import os
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
    return alike(client.call(*arguments_of(tool, code, arguments), timeout=400))


def start_program(client, tool, code, **arguments):
    """Starts it and returns the request's id; end_of() waits for its result."""
    return client.start_call(*arguments_of(tool, code, arguments))


def end_of(client, request):
    return alike(product.unpack(client.wait(request, timeout=400)))


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


def below_the_launcher(server):
    """Pids below the server that are neither the launcher nor its supervisor."""
    found = []
    for pid in server.descendants():
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                if os.path.basename(file.read().split(b"\0")[0]) != b"cmcp-launcher":
                    found.append(pid)
        except OSError:
            continue
    return found


def none_left(client, marker):
    """Waits until no process of the host has the marker in its command line, and no sandbox is below the server."""
    wait_for(lambda: not processes_with(marker), f"no process with {marker}")
    wait_for(lambda: not below_the_launcher(client.server), "nothing but the launcher below the server")


@contextlib.contextmanager
def started_by(env, lines):
    """Servers that are started inside begin with these lines of Python, in their own process."""
    place = env.outside()
    os.chmod(place, 0o755)
    path = os.path.join(place, "wrapper")
    with open(path, "w") as file:
        file.write(f"#!/usr/bin/python3\nimport os, sys\n{lines}\nos.execv({product.BINARY!r}, sys.argv)\n")
    os.chmod(path, 0o755)
    kept, product.BINARY = product.BINARY, path
    try:
        yield path
    finally:
        product.BINARY = kept


# Lines for started_by: system calls that fail from then on, as under the filter of a container engine.
# DENIED: [(number, None or its first argument or "filter": 1 and a third that is not 0)], ERROR: the errno.
DENY = """
import ctypes, struct
DENIED, ERROR = %r, %d
ALLOW, FAIL = 0x7fff0000, 0x00050000 | ERROR
code = [(0x20, 0, 0, 0)]
for number, first in DENIED:
    if first is None:
        code += [(0x15, 0, 1, number), (0x06, 0, 0, FAIL)]
    elif first == 'filter':
        code += [(0x15, 0, 6, number), (0x20, 0, 0, 16), (0x15, 0, 3, 1), (0x20, 0, 0, 32), (0x15, 1, 0, 0), (0x06, 0, 0, FAIL), (0x20, 0, 0, 0)]
    else:
        code += [(0x15, 0, 4, number), (0x20, 0, 0, 16), (0x15, 0, 1, first), (0x06, 0, 0, FAIL), (0x20, 0, 0, 0)]
code.append((0x06, 0, 0, ALLOW))
text = ctypes.create_string_buffer(b''.join(struct.pack('HBBI', *row) for row in code))
program = ctypes.create_string_buffer(struct.pack('HxxxxxxQ', len(code), ctypes.addressof(text)))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program, 0, 0) == 0, os.strerror(ctypes.get_errno())
"""
