# case: 89
# title: two sandboxes at one time
# tries: A listens on TCP and UDP ports of loopback and on abstract names; B connects to all of them
# expect: B is refused, and nobody came to A
# layers: network_namespace
import os

from outside import BOTH, end_of, run_program, said, start_program
from product import wait_for

A = """import json, os, socket, time
def listen(family, address):
    one = socket.socket(family)
    one.bind(address)
    one.listen()
    one.setblocking(False)
    return one
listeners = []
for family, address in ((socket.AF_INET, ('127.0.0.1', 9000)), (socket.AF_INET, ('0.0.0.0', 9001)), (socket.AF_UNIX, '\\0escape-89')):
    try:
        listeners.append(listen(family, address))
    except PermissionError:
        pass
open(%(ready)r, 'w').close()
end = time.monotonic() + 60
while not os.path.exists(%(done)r) and time.monotonic() < end:
    time.sleep(0.01)
came = 0
for one in listeners:
    try:
        one.accept()
        came += 1
    except BlockingIOError:
        pass
print(json.dumps([len(listeners), came]))
"""
B = """import errno, json, socket
answers = []
for family, address in ((socket.AF_INET, ('127.0.0.1', 9000)), (socket.AF_INET, ('127.0.0.1', 9001)), (socket.AF_UNIX, '\\0escape-89')):
    with socket.socket(family) as one:
        one.settimeout(5)
        try:
            one.connect(address)
            answers.append('CONNECTED')
        except OSError as failure:
            answers.append(errno.errorcode[failure.errno])
open(%(done)r, 'w').close()
print(json.dumps(answers))
"""


def run(env):
    client, seen = env.common(), []
    for first in BOTH:
        for second in BOTH:
            files = {"ready": f"ready-{first}-{second}", "done": f"done-{first}-{second}"}
            waiting = start_program(client, first, A % files, timeout=90)
            wait_for(lambda: os.path.exists(os.path.join(client.server.workspace, files["ready"])), "A to listen")
            answers = said(run_program(client, second, B % files))
            listeners, came = said(end_of(client, waiting))
            if came or set(answers) - {"ECONNREFUSED", "EACCES", "EPERM", "ENETUNREACH"}:
                return "escaped", f"{first} and {second}: {answers}, {came} came"
            seen.append(f"{second} to {first}: {listeners} listeners, {'/'.join(answers)}")
    return "held", "; ".join(seen)
