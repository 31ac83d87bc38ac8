# case: 116
# title: a file of one terabyte
# tries: ftruncate, fallocate and a write at 1 TiB, in the current directory and in /tmp
# expect: EFBIG, with SIGXFSZ unless it is ignored, or ENOSPC
# layers: -
# bound: bytes<=1
import signal
TIB = 1 << 40
# What the signal does first: nothing is caught.
path = "sparse.%d" % os.getpid()
descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)


def grow():
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    os.ftruncate(descriptor, TIB)


end = in_child(grow)
if end not in (signal.SIGXFSZ, -errno.EFBIG, -errno.ENOSPC, -errno.EDQUOT):
    wrong("ftruncate to 1 TiB ended with %s" % end)
os.close(descriptor)
os.unlink(path)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
for place in (".", "/tmp"):
    path = os.path.join(place, "sparse.%d" % os.getpid())
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    refused("ftruncate in " + place, lambda: os.ftruncate(descriptor, TIB), "EFBIG", "ENOSPC", "EDQUOT", "EINVAL")
    refused("fallocate in " + place, lambda: os.posix_fallocate(descriptor, 0, TIB), "EFBIG", "ENOSPC", "EDQUOT", "EOPNOTSUPP", "ENOTSUP")
    refused("fallocate KEEP_SIZE in " + place, syscall("fallocate", descriptor, 1, 0, TIB), "EFBIG", "ENOSPC", "EDQUOT", "EOPNOTSUPP", "ENOTSUP")
    refused("pwrite at 1 TiB in " + place, lambda: os.pwrite(descriptor, b"x", TIB), "EFBIG", "ENOSPC", "EDQUOT")
    os.close(descriptor)
    os.unlink(path)
held()
