# case: 78
# title: real-time and better priorities
# tries: sched_setscheduler(SCHED_RR and SCHED_FIFO), sched_setattr, nice -5, ioprio real-time, RLIMIT_NICE and RLIMIT_RTPRIO raised
# expect: EPERM or EACCES
# layers: capabilities
# bound: none
import resource
FIFO, RR = 1, 2
one = (ctypes.c_int * 1)(1)
refused("SCHED_RR", syscall("sched_setscheduler", 0, RR, one), "EPERM")
refused("SCHED_FIFO", syscall("sched_setscheduler", 0, FIFO, one), "EPERM")
refused("SCHED_RR with RESET_ON_FORK", syscall("sched_setscheduler", 0, RR | 0x40000000, one), "EPERM")
attributes = (ctypes.c_uint32 * 12)(48, RR, 0, 0, 0, 1)
refused("sched_setattr RR", syscall("sched_setattr", 0, attributes, 0), "EPERM")
refused("nice -5", syscall("setpriority", 0, 0, -5), "EPERM", "EACCES")
refused("ioprio real-time", syscall("ioprio_set", 1, 0, 1 << 13), "EPERM")


def attempt_limit(limit):
    try:
        resource.setrlimit(limit, (30, 30))
    except ValueError:  # how Python reports EPERM here
        raise OSError(errno.EPERM, "not allowed to raise maximum limit")


for name in ("RLIMIT_NICE", "RLIMIT_RTPRIO"):
    limit = getattr(resource, name)
    refused(name, lambda: attempt_limit(limit), "EPERM")
held()
