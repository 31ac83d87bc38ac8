# case: 165
# title: flags, project ids and attributes that outlive the run
# tries: FS_IOC_SETFLAGS immutable and append-only, FS_IOC_FSSETXATTR with a project id, FS_IOC_ENABLE_VERITY, FS_IOC_SET_ENCRYPTION_POLICY,
#   FIFREEZE, FITRIM, FICLONE of a system file, EXT4_IOC_*; xattrs security.*, trusted.*, system.posix_acl
# expect: EPERM, EACCES, EOPNOTSUPP, ENOTTY: nothing that the file tools could not delete
# layers: -
# bound: bytes<=4K
import fcntl
import struct
name = "flags.%d" % os.getpid()
descriptor = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
os.write(descriptor, b"x" * 4096)
REFUSALS = ("EPERM", "EACCES", "EOPNOTSUPP", "ENOTSUP", "ENOTTY", "EINVAL", "EBADF", "EXDEV", "ENODATA", "EROFS", "EFAULT", "ENOSYS", "EBUSY", "ENOENT")
for what, flags in (("immutable", 0x10), ("append-only", 0x20), ("immutable and no-dump", 0x50)):
    refused("FS_IOC_SETFLAGS " + what, lambda: fcntl.ioctl(descriptor, 0x40086602, struct.pack("l", flags)), *REFUSALS)
refused("FS_IOC_FSSETXATTR immutable", lambda: fcntl.ioctl(descriptor, 0x401C5820, struct.pack("IIIII8x", 0x8, 0, 0, 0, 0)), *REFUSALS)
refused("FS_IOC_FSSETXATTR project id", lambda: fcntl.ioctl(descriptor, 0x401C5820, struct.pack("IIIII8x", 0, 0, 0, 4242, 0)), *REFUSALS)
refused("FS_IOC_SET_ENCRYPTION_POLICY", lambda: fcntl.ioctl(descriptor, 0x800C6613, bytes(12)), *REFUSALS)
for what, number in (("FIFREEZE", 0xC0045877), ("FITHAW", 0xC0045878), ("FITRIM", 0xC0185879), ("EXT4_IOC_RESIZE_FS", 0x40086610),
                     ("EXT4_IOC_SHUTDOWN", 0x8004587D), ("BTRFS_IOC_SUBVOL_CREATE", 0x5000940E), ("FS_IOC_SETFSLABEL", 0x41009432)):
    for path in (".", "/usr", "/"):
        place = os.open(path, os.O_RDONLY)
        refused("%s on %s" % (what, path), lambda: fcntl.ioctl(place, number, bytearray(4096) if number != 0x8004587D else struct.pack("I", 99)), *REFUSALS)
        os.close(place)
system = os.open("/bin/sh", os.O_RDONLY)
refused("FICLONE into a system file", lambda: fcntl.ioctl(system, 0x40049409, descriptor), *REFUSALS)
for attribute, value in (("security.capability", bytes.fromhex("0100000200200000000000000000000000000000")), ("security.apparmor", b"x"), ("security.ima", b"x"), ("trusted.overlay.opaque", b"y"), ("system.sockprotoname", b"x")):
    refused("setxattr " + attribute, lambda: os.setxattr(name, attribute, value), *REFUSALS)
    refused("setxattr %s of a system file" % attribute, lambda: os.setxattr("/bin/sh", attribute, value), *REFUSALS)
# A kernel with SELinux and no policy leaves this one to the owner: it says nothing there, and a policy would decide.
note("security.selinux: %s" % (attempt(lambda: os.setxattr(name, "security.selinux", b"x"))[1] or "set"))
os.unlink(name)
held()
