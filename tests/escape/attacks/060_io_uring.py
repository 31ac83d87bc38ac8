# case: 60
# title: io_uring
# tries: io_uring_setup, io_uring_enter, io_uring_register
# expect: EPERM
# layers: seccomp
# bound: none
parameters = (ctypes.c_uint32 * 30)()
refused("io_uring_setup", syscall("io_uring_setup", 4, parameters), "EPERM")
refused("io_uring_enter", syscall("io_uring_enter", 0, 1, 0, 0, 0, 0), "EPERM")
refused("io_uring_register", syscall("io_uring_register", 0, 0, 0, 0), "EPERM")
held()
