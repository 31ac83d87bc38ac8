# case: 54
# title: ptrace
# tries: PTRACE_TRACEME, PTRACE_ATTACH and PTRACE_SEIZE of init, PTRACE_ATTACH of a child of its own
# expect: EPERM
# layers: seccomp
# bound: none
# safe: no, attaches to process 1
TRACEME, ATTACH, SEIZE = 0, 16, 0x4206
child = os.fork()
if child == 0:
    signal_wait = syscall("rt_sigsuspend", (ctypes.c_uint64 * 1)(0), 8)
    os._exit(0)
refused("PTRACE_TRACEME", syscall("ptrace", TRACEME, 0, 0, 0), "EPERM")
refused("PTRACE_ATTACH init", syscall("ptrace", ATTACH, 1, 0, 0), "EPERM")
refused("PTRACE_SEIZE init", syscall("ptrace", SEIZE, 1, 0, 0), "EPERM")
refused("PTRACE_ATTACH child", syscall("ptrace", ATTACH, child, 0, 0), "EPERM")
os.kill(child, 9)
held()
