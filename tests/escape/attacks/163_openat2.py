# case: 163
# title: openat2 and names that lead out
# tries: openat2 with every RESOLVE flag, with set-id modes, and O_TMPFILE, O_PATH and magic links by openat
# expect: ENOSYS for openat2; no descriptor leads out of the root
# layers: seccomp
# bound: none
for resolve in (0, 1, 2, 4, 8, 16, 32):
    how = (ctypes.c_uint64 * 3)(os.O_RDONLY, 0, resolve)
    refused("openat2 with %d" % resolve, syscall("openat2", -100, b"/", how, 24), "ENOSYS", "EPERM")
how = (ctypes.c_uint64 * 3)(os.O_RDWR | os.O_CREAT, 0o6755, 0)
refused("openat2 creating set-id", syscall("openat2", -100, b"x163", how, 24), "ENOSYS", "EPERM")
for flags, mode in ((0o20200000 | os.O_RDWR, 0o4755), (os.O_RDWR | os.O_CREAT, 0o6755), (0o20200000 | os.O_RDWR, 0o2755)):
    refused("openat flags %o mode %o" % (flags, mode), syscall("openat", -100, b"." if flags & 0o20000000 else b"y163", flags, mode), "EPERM")
root = os.open("/", os.O_PATH)
here = os.fstat(root)
for way in ("..", "../..", "../../../../../..", "proc/self/root/..", "proc/self/cwd/../..", "proc/self/fd/%d/.." % root):
    try:
        there = os.open(way, os.O_PATH, dir_fd=root)
    except OSError:
        continue
    if sorted(os.listdir("/proc/self/fd/%d" % there)) != sorted(os.listdir("/")) and way != "proc/self/cwd/../..":
        wrong("/%s is another directory: %s" % (way, os.listdir("/proc/self/fd/%d" % there)))
    os.close(there)
held()
