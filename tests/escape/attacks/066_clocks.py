# case: 66
# title: clocks
# tries: clock_settime and settimeofday to the present time, adjtimex and clock_adjtime with an offset of nothing
# expect: EPERM
# safe: no, where the user is root and nothing confines it, it takes effect
# layers: seccomp capabilities
# bound: none
# safe: no, sets the clock to what it reads
import time
now = time.time()
stamp = (ctypes.c_int64 * 2)(int(now), int(now % 1 * 1000000000))
micro = (ctypes.c_int64 * 2)(int(now), int(now % 1 * 1000000))
refused("clock_settime", syscall("clock_settime", 0, stamp), "EPERM")
refused("settimeofday", syscall("settimeofday", micro, 0), "EPERM")
change = (ctypes.c_uint32 * 64)()
change[0] = 0x0100  # ADJ_SETOFFSET: an offset of 0 s
refused("adjtimex", syscall("adjtimex", change), "EPERM")
refused("clock_adjtime", syscall("clock_adjtime", 0, change), "EPERM")
held()
