# case: 121
# title: descriptors of every run at once
# tries: four runs that hold all the descriptors they get, and pass them to each other until that is refused; meanwhile the server
# expect: the server answers, and its own descriptors do not grow
# layers: -
import os

from outside import end_of, run_program, start_program
from product import wait_for

CODE = """import array, os, socket, time
kept, sockets = [], []
try:
    a, b = socket.socketpair()
    sockets += [a, b]
    while True:
        kept.append(os.open('/dev/null', os.O_RDONLY))
except OSError:
    pass
flying = 0
a.setblocking(False)
try:
    while flying < 20000:
        a.sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', kept[:200]))])
        flying += 200
except OSError:
    pass
for one in kept[:20]: os.close(one)
open(%r, 'w').close()
end = time.monotonic() + 60
while not os.path.exists('go') and time.monotonic() < end:
    time.sleep(0.01)
print(len(kept), flying)
"""


def open_of(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def run(env):
    client = env.common()
    client.bash("true")
    before = open_of(client.server.process.pid)
    waiting = [start_program(client, "python" if turn % 2 else "bash", CODE % f"full{turn}", timeout=90) for turn in range(4)]
    wait_for(lambda: all(os.path.exists(os.path.join(client.server.workspace, f"full{turn}")) for turn in range(4)), "four full runs")
    assert client.bash("echo ok")["stdout"] == "ok\n"
    assert client.call("file_write", {"path": "go", "content": ""})["success"]
    said = [end_of(client, request)["stdout"].strip() for request in waiting]
    wait_for(lambda: open_of(client.server.process.pid) <= before + 4, "the server's descriptors to be as before")
    return "held", f"(held, under way) {said}; the server answered, its descriptors are as before"
