# case: 116
# title: a file of one terabyte
# tries: ftruncate, every way to reserve space, and a write at 1 TiB, in the current directory and in /tmp
# expect: EFBIG, with SIGXFSZ unless it is ignored, or ENOSPC
# layers: seccomp
# bound: bytes<=1
# safe: no
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
    # Reserved beyond the end of the file (KEEP_SIZE) no RLIMIT_FSIZE counts: a try that succeeds fills the disk. What it
    # got is given back at once.
    space = bytes(8) + (0).to_bytes(8, "little") + TIB.to_bytes(8, "little") + bytes(24)  # struct space_resv
    for what, result in (("fallocate", syscall("fallocate", descriptor, 0, 0, TIB)),
                         ("fallocate KEEP_SIZE", syscall("fallocate", descriptor, 1, 0, TIB)),
                         ("fallocate ZERO_RANGE|KEEP_SIZE", syscall("fallocate", descriptor, 0x11, 0, TIB)),
                         ("FS_IOC_RESVSP", syscall("ioctl", descriptor, 0x40305828, space)),
                         ("FS_IOC_RESVSP64", syscall("ioctl", descriptor, 0x4030582A, space)),
                         ("FS_IOC_ZERO_RANGE", syscall("ioctl", descriptor, 0x40305839, space))):
        if os.fstat(descriptor).st_blocks > 2048:
            os.ftruncate(descriptor, 1)
            os.ftruncate(descriptor, 0)
            escaped("%s in %s took space for a terabyte" % (what, place))
        refused(what + " in " + place, result, "EFBIG", "ENOSPC", "EDQUOT", "EOPNOTSUPP", "ENOTSUP", "EPERM", "ENOTTY")
    refused("pwrite at 1 TiB in " + place, lambda: os.pwrite(descriptor, b"x", TIB), "EFBIG", "ENOSPC", "EDQUOT")
    os.close(descriptor)
    os.unlink(path)
held()
