# case: 75
# title: filters of its own
# tries: seccomp with NEW_LISTENER; then a filter that allows everything, and after it a forbidden call
# expect: EPERM for the listener; a filter of its own is allowed and loosens nothing
# layers: -
# bound: none
SET_MODE_FILTER, TSYNC, NEW_LISTENER, TSYNC_ESRCH = 1, 1, 8, 16


class Filter(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint16), ("jt", ctypes.c_uint8), ("jf", ctypes.c_uint8), ("k", ctypes.c_uint32)]


class Program(ctypes.Structure):
    _fields_ = [("count", ctypes.c_uint16), ("filter", ctypes.POINTER(Filter))]


code = (Filter * 1)(Filter(0x06, 0, 0, 0x7fff0000))  # return ALLOW
program = Program(1, ctypes.cast(code, ctypes.POINTER(Filter)))
refused("NEW_LISTENER", syscall("seccomp", SET_MODE_FILTER, NEW_LISTENER, program), "EPERM")
refused("NEW_LISTENER with TSYNC", syscall("seccomp", SET_MODE_FILTER, NEW_LISTENER | TSYNC | TSYNC_ESRCH, program), "EPERM")
_, error = syscall("seccomp", SET_MODE_FILTER, 0, program)
refused("unshare(CLONE_NEWUSER) behind a filter that allows it", syscall("unshare", 0x10000000), "EPERM")
refused("io_uring_setup behind it", syscall("io_uring_setup", 1, (ctypes.c_uint32 * 30)()), "EPERM")
held("NEW_LISTENER refused; a further filter: %s, and it loosens nothing" % (error or "allowed"))
