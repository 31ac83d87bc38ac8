# case: 161
# title: changing a read-only file through pages that pipes share (Dirty Pipe and its kin)
# tries: pages of a system file into a pipe by splice, tee, sendfile and copy_file_range, and writes behind them; into a second pipe;
#   into a socket; vmsplice of its own map of the file
# expect: the file has what it had, in every way
# layers: -
# bound: bytes<=1M
import mmap
import socket
path = "/bin/sh"
source = os.open(path, os.O_RDONLY)
before = os.pread(source, 65536, 0)


def unchanged(what):
    if os.pread(source, 65536, 0) != before:
        escaped("the page cache of %s was changed by %s" % (path, what))


reader, writer = os.pipe()
for _ in range(16):  # every buffer of the pipe gets the flag that Dirty Pipe left behind
    os.write(writer, b"x" * 4096)
os.read(reader, 65536)
for length in (1, 4095, 4096):
    syscall("splice", source, (ctypes.c_int64 * 1)(0), writer, 0, length, 0)
    os.set_blocking(writer, False)
    try:
        os.write(writer, b"overwritten")
    except BlockingIOError:
        pass
    unchanged("splice of %d and write" % length)
second, into = os.pipe()
syscall("tee", reader, into, 4096, 0)
os.set_blocking(into, False)
try:
    os.write(into, b"overwritten")
except BlockingIOError:
    pass
unchanged("tee and write")
a, b = socket.socketpair()
a.setblocking(False)
syscall("sendfile", a.fileno(), source, (ctypes.c_int64 * 1)(0), 4096)
try:
    a.send(b"overwritten")
except BlockingIOError:
    pass
unchanged("sendfile into a socket")
refused("copy_file_range into it", syscall("copy_file_range", source, (ctypes.c_int64 * 1)(0), source, (ctypes.c_int64 * 1)(8192), 4096, 0),
        "EBADF", "EINVAL", "EPERM")
refused("a shared writable map", lambda: mmap.mmap(source, 4096, mmap.MAP_SHARED, mmap.PROT_WRITE), "EACCES", "EPERM")
private = mmap.mmap(source, 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE)
private[0:4] = b"mine"
unchanged("a private map")
address = ctypes.addressof(ctypes.c_char.from_buffer(private))
for advice in (4, 8, 18, 19, 20, 21, 22, 23, 25):  # DONTNEED, FREE, … COLLAPSE: Dirty Cow raced the first of them
    syscall("madvise", address, 4096, advice)
unchanged("madvise")
view = mmap.mmap(source, 4096, mmap.MAP_PRIVATE, mmap.PROT_READ)
try:
    with open("/proc/self/mem", "r+b", 0) as memory:
        maps = [line.split("-")[0] for line in open("/proc/self/maps") if line.rstrip().endswith(os.path.realpath(path)) and " r--p 00000000" in line]
        memory.seek(int(maps[-1], 16))
        memory.write(b"forced")  # into a private copy, if it is allowed at all
except (OSError, IndexError):
    pass
unchanged("/proc/self/mem")
held("ten ways, the file is what it was")
