# case: 61
# title: asynchronous input and output of the kernel
# tries: io_setup, io_submit, io_getevents, io_destroy
# expect: EPERM
# layers: seccomp
# bound: none
context = (ctypes.c_uint64 * 1)()
refused("io_setup", syscall("io_setup", 1, context), "EPERM")
refused("io_submit", syscall("io_submit", context[0], 0, 0), "EPERM")
refused("io_getevents", syscall("io_getevents", context[0], 0, 0, 0, 0), "EPERM")
refused("io_destroy", syscall("io_destroy", context[0]), "EPERM")
held()
