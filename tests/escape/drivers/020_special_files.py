# case: 20
# title: special files as targets of the file tools
# tries: FIFO, socket, links to /proc magic, to the FIFO; read, write, append, list, move over, delete
# expect: an error at once, without waiting for another end
# layers: -
import os

MAKE = """import os, socket
os.mkfifo('fifo')
socket.socket(socket.AF_UNIX).bind('sock')
os.symlink('fifo', 'to_fifo'); os.symlink('/proc/self/fd/0', 'magic'); os.symlink('/proc/self/root', 'root'); os.symlink('/dev/zero', 'zero')
os.mkdir('dir')"""


def run(env):
    made = env.python(MAKE)
    if not made["success"]:
        made = env.python(MAKE.replace("socket.socket(socket.AF_UNIX).bind('sock')\n", ""))
        assert made["success"], made
    client = env.common()
    names = [name for name in ("fifo", "sock", "to_fifo", "magic", "root", "zero", "dir") if os.path.lexists(os.path.join(env.workspace, name))]
    done = 0
    for name in names:
        for tool, arguments in (("file_read", {"path": name}), ("file_read", {"path": name, "encoding": "base64"}),
                                ("file_write", {"path": name, "content": "x"}), ("file_write", {"path": name, "content": "x", "append": True})):
            answer = client.call(tool, arguments, timeout=20)  # a hang ends the case
            assert answer.get("success") is not True and answer.get("error"), (tool, name, answer)
            done += 1
    listing = client.call("file_list", {"path": "."}, timeout=20)
    assert listing["success"], listing
    for name in names:
        client.call("file_move", {"source": name, "destination": name + "2"}, timeout=20)
        client.call("file_delete", {"path": name + "2", "recursive": True}, timeout=20)
    assert client.bash("echo ok")["stdout"] == "ok\n"
    return "held", f"{done} calls on {', '.join(names)}: an error each"
