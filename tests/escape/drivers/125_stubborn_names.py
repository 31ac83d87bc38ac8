# case: 125
# title: what cannot easily be deleted
# tries: directories with mode 0000 and without w, a file in one, names of 255 bytes, names with newline, invalid UTF-8, spaces at
#   the end, `-rf` and `..x`, a FIFO, a socket and a dangling link; chattr +i
# expect: file_delete with recursive takes all of it; nothing becomes immutable
# layers: -
import os

from outside import BOTH, run_program

CODE = """import ctypes, fcntl, os, socket, struct
os.makedirs('stubborn/closed/inner')
open('stubborn/closed/inner/file', 'w').close()
os.chdir('stubborn')
for name in (b'x' * 255, b'new\\nline', b'bad\\xff\\xfe', b'space ', b'-rf', b'..x', b' ', b'*', b'\\x01\\x1b[31m', '\u202e'.encode()):
    open(name, 'w').close()
    os.mkdir(name[:250] + b'.dir')
    open(os.path.join(name[:250] + b'.dir', name), 'w').close()
os.mkfifo('fifo')
with socket.socket(socket.AF_UNIX) as one:
    one.bind('socket')
os.symlink('/nothing', 'dangling')
os.symlink('..', 'up')
refused = []
for what in ('closed/inner/file', 'closed'):
    descriptor = os.open(what, os.O_RDONLY)
    try:
        fcntl.ioctl(descriptor, 0x40086602, struct.pack('l', 0x10))  # FS_IOC_SETFLAGS: immutable
        refused.append('IMMUTABLE')
    except OSError as failure:
        refused.append(failure.strerror)
    os.close(descriptor)
os.mkdir('no-write'); open('no-write/file', 'w').close(); os.chmod('no-write', 0o500)
os.mkdir('no-read'); open('no-read/file', 'w').close(); os.chmod('no-read', 0o300)
os.chmod('closed/inner', 0); os.chmod('closed', 0)
print(refused)
"""


def run(env):
    client, seen = env.common(), []
    top = os.path.join(client.server.workspace, "stubborn")
    for tool in BOTH:
        result = run_program(client, tool, CODE)
        assert result["success"] and "IMMUTABLE" not in result["stdout"], result
        listed = client.call("file_list", {"path": "stubborn", "include_hidden": True})
        assert listed["success"] and len(listed["entries"]) > 20, listed
        deleted = client.call("file_delete", {"path": "stubborn", "recursive": True})
        assert deleted.get("success"), deleted
        assert not os.path.lexists(top), "it is still there"
        seen.append(f"{tool}: {result['stdout'].strip()}, {len(listed['entries'])} entries")
    return "held", "; ".join(seen)
