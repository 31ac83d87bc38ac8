# case: 93
# title: objects of one run in another
# tries: A makes System V memory, semaphores and a message queue, a POSIX queue and a file in /dev/shm, and stays; B looks for
#   each by its name, and C after A has ended
# expect: what cannot be made is refused; what A made is not there for B and C
# layers: ipc_namespace
import os

from outside import BOTH, end_of, run_program, said, start_program
from product import wait_for

A = """import ctypes, json, os, time
libc, rt = ctypes.CDLL(None, use_errno=True), ctypes.CDLL('librt.so.1', use_errno=True)
made = {}
made['shm'] = libc.shmget(0x5E5C, 4096, 0o1666)
made['sem'] = libc.semget(0x5E5C, 1, 0o1666)
made['msg'] = libc.msgget(0x5E5C, 0o1666)
made['mq'] = rt.mq_open(b'/escape93', os.O_CREAT | os.O_RDWR, 0o666, None)
open('/dev/shm/escape93', 'w').write('A')
made['file'] = 1
open(%(ready)r, 'w').close()
end = time.monotonic() + 60
while not os.path.exists(%(done)r) and time.monotonic() < end:
    time.sleep(0.01)
print(json.dumps(made))
"""
B = """import ctypes, json, os
libc, rt = ctypes.CDLL(None, use_errno=True), ctypes.CDLL('librt.so.1', use_errno=True)
found = []
for name, value in (('shm', libc.shmget(0x5E5C, 0, 0)), ('sem', libc.semget(0x5E5C, 0, 0)), ('msg', libc.msgget(0x5E5C, 0)),
                    ('mq', rt.mq_open(b'/escape93', os.O_RDWR))):
    if value != -1:
        found.append(name)
for index in range(16):  # by their numbers
    if libc.shmctl(index, 13, ctypes.create_string_buffer(256)) != -1:
        found.append(f'shm number {index}')
found += os.listdir('/dev/shm')
try:
    found += [line for line in open('/proc/sysvipc/shm').read().splitlines()[1:]]
except OSError:
    pass
open(%(done)r, 'w').close()
print(json.dumps(found))
"""


def run(env):
    client, seen = env.common(), ""
    for first in BOTH:
        for second in BOTH:
            files = {"ready": f"ready-{first}-{second}", "done": f"done-{first}-{second}"}
            waiting = start_program(client, first, A % files, timeout=90)
            wait_for(lambda: os.path.exists(os.path.join(client.server.workspace, files["ready"])), "A to make its objects")
            found = said(run_program(client, second, B % files))
            made = said(end_of(client, waiting))
            found += said(run_program(client, second, B % files))
            if found:
                return "escaped", f"{second} found {found} of {first}, which made {made}"
            seen = ", ".join(f"{name} {'made' if value != -1 else 'refused'}" for name, value in made.items())
    return "held", f"{seen}; nothing of it in another run"
