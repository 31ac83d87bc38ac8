# case: 170
# title: Landlock and filters by the payload
# tries: a ruleset of its own that allows everything, 20 layers of it, then what is forbidden; filters by the hundred; TSYNC from a thread
# expect: rules only narrow; what was forbidden stays so; E2BIG or ENOMEM where it is too many
# layers: -
# bound: filters<=400
import struct


class Attributes(ctypes.Structure):
    _fields_ = [("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64)]


root = os.open("/", os.O_PATH)
layers, error = 0, ""
for _ in range(20):
    ruleset, error = syscall("landlock_create_ruleset", Attributes(1, 0, 0), 8, 0)
    if error:
        break
    syscall("landlock_add_rule", ruleset, 1, ctypes.create_string_buffer(struct.pack("=Qi", 1, root)), 0)
    result, error = syscall("landlock_restrict_self", ruleset, 0)
    os.close(ruleset)
    if error:
        break
    layers += 1
for flags in (1, 2, 4, 8):  # logging, thread sync
    ruleset, failed = syscall("landlock_create_ruleset", Attributes(1, 0, 0), 8, 0)
    if not failed:
        syscall("landlock_restrict_self", ruleset, flags)
for path in ("/usr/x", "/etc/passwd", "/bin/x", "/dev/x", "/proc/sys/kernel/core_pattern"):
    refused("writing " + path, lambda: os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "EROFS", "EACCES", "EPERM", "ENOENT")


class Filter(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint16), ("jt", ctypes.c_uint8), ("jf", ctypes.c_uint8), ("k", ctypes.c_uint32)]


class Program(ctypes.Structure):
    _fields_ = [("count", ctypes.c_uint16), ("filter", ctypes.POINTER(Filter))]


code = (Filter * 4096)(*([Filter(0x06, 0, 0, 0x7fff0000)] * 4096))
program, loaded = Program(4096, ctypes.cast(code, ctypes.POINTER(Filter))), 0
while loaded < 400:
    result, error = syscall("seccomp", 1, 1 if loaded % 2 else 0, program)
    if error:
        break
    loaded += 1
refused("the 400th filter of 4096 steps", (-1 if error else 0, error), "ENOMEM", "EPERM", "EINVAL", "E2BIG")
refused("unshare(CLONE_NEWUSER)", syscall("unshare", 0x10000000), "EPERM")
refused("mount", syscall("mount", b"none", b"/tmp", b"tmpfs", 0, 0), "EPERM")
held("%d layers and %d filters of its own; nothing was loosened" % (layers, loaded))
