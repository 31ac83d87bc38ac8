# case: 73
# title: system calls by x32 numbers
# tries: getpid, ptrace and mount with bit 30 set
# expect: SIGSYS kills the process
# layers: seccomp
# bound: none
if platform.machine() != "x86_64":
    na("this architecture has no x32")
SIGSYS = 31
X32 = 0x40000000
ends = [in_child(lambda number=number: syscall(X32 | number, 0, 0, 0, 0, 0)) for number in (39, 521, 165, 512, 547)]
if set(ends) != {SIGSYS}:
    escaped("x32 numbers were executed: %s" % ends)
held("SIGSYS for each of %d" % len(ends))
