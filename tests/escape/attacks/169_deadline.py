# case: 169
# title: scheduling
# tries: SCHED_DEADLINE, SCHED_EXT, SCHED_RR by attributes, a better priority of init
# expect: EPERM, EINVAL or ESRCH
# layers: -
# bound: none
# safe: no, changes the priority of process 1
attributes = ctypes.create_string_buffer(56)


def sched(policy, flags=0, minimum=0):
    import struct
    struct.pack_into("IIQiIQQQII", attributes, 0, 56, policy, flags, 0, 0, 10000000, 20000000, 30000000, minimum, 1024)
    return syscall("sched_setattr", 0, attributes, 0)


refused("SCHED_DEADLINE", sched(6), "EPERM", "EINVAL", "EBUSY")
refused("SCHED_EXT", sched(7), "EPERM", "EINVAL", "EACCES")
refused("SCHED_RR by attributes", sched(2), "EPERM", "EINVAL")
refused("a better priority of init", syscall("setpriority", 0, 1, -5), "EPERM", "EACCES")
held()
