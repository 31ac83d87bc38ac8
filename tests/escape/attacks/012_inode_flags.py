# case: 12
# title: flags of inodes that the host's user could not remove
# tries: FS_IOC_SETFLAGS with immutable and append-only, FS_IOC_FSSETXATTR with a project id, on a file and the directory of the workspace
# expect: EPERM, EINVAL, ENOTTY or EOPNOTSUPP; the flags stay
# layers: capabilities
# safe: yes, on a file of its own; the flags are taken back
import fcntl
import struct

GETFLAGS, SETFLAGS, FSGETXATTR, FSSETXATTR = 0x80086601, 0x40086602, 0x801C581F, 0x401C5820
denied = ("EPERM", "EINVAL", "ENOTTY", "EOPNOTSUPP", "EACCES")
os.close(os.open("escape_flags", os.O_CREAT | os.O_WRONLY, 0o600))
for path in ("escape_flags", "."):
    descriptor = os.open(path, os.O_RDONLY)
    now, error = attempt(fcntl.ioctl, descriptor, GETFLAGS, struct.pack("L", 0))
    for name, flag in (("immutable", 0x10), ("append-only", 0x20)):
        value = struct.pack("L", (0 if error else struct.unpack("L", now)[0]) | flag)
        if refused("%s on %s" % (name, path), lambda: fcntl.ioctl(descriptor, SETFLAGS, value), *denied):
            continue
        attempt(fcntl.ioctl, descriptor, SETFLAGS, now)
    attributes, error = attempt(fcntl.ioctl, descriptor, FSGETXATTR, bytes(28))
    if not error:
        fields = list(struct.unpack("5I8s", attributes))
        fields[3] = 4711
        if not refused("a project id on " + path, lambda: fcntl.ioctl(descriptor, FSSETXATTR, struct.pack("5I8s", *fields)), *denied):
            attempt(fcntl.ioctl, descriptor, FSSETXATTR, attributes)
    os.close(descriptor)
os.unlink("escape_flags")
held()
