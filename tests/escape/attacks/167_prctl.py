# case: 167
# title: prctl, the drawer of odds and ends
# tries: PR_SET_MM, PR_SET_PTRACER, PR_SET_SECUREBITS, PR_SET_KEEPCAPS, PR_SET_MDWE, PR_SCHED_CORE, PR_SET_IO_FLUSHER, PR_SET_SYSCALL_USER_DISPATCH,
#   PR_SET_MEMORY_MERGE, PR_SET_SPECULATION_CTRL, PR_CAP_AMBIENT_RAISE, PR_SET_TSC, PR_RISCV_*, PR_FUTEX_HASH, every number up to 100
# expect: EPERM or EINVAL for whatever is not on the list; no_new_privs cannot be taken back
# layers: seccomp
# bound: none
KNOWN = {1, 2, 3, 4, 15, 16, 21, 22, 23, 25, 27, 29, 30, 36, 37, 38, 39, 41, 42, 47, 52, 7}
for name, option, arguments in (("PR_SET_MM start", 35, (1, 0x10000)), ("PR_SET_MM exe", 35, (13, 0)), ("PR_SET_MM map", 35, (14, 0, 0)),
                                ("PR_SET_PTRACER any", 0x59616D61, (-1,)), ("PR_SET_SECUREBITS", 28, (0,)), ("PR_SET_KEEPCAPS", 8, (1,)),
                                ("PR_CAPBSET_DROP", 24, (21,)), ("PR_SCHED_CORE create", 62, (1, 0, 0, 0)), ("PR_SET_IO_FLUSHER", 57, (1,)),
                                ("PR_SET_MEMORY_MERGE", 67, (1,)),
                                ("PR_SET_SPECULATION_CTRL", 53, (0, 2)), ("PR_SET_TIMING", 14, (1,)), ("PR_SET_ENDIAN", 20, (1,)),
                                ("PR_SET_FPEMU", 10, (1,)), ("PR_SET_UNALIGN", 6, (1,)), ("PR_MPX_ENABLE", 43, ()), ("PR_SET_MDWE", 65, (1,)),
                                ("PR_TIMER_CREATE_RESTORE_IDS", 77, (1,)), ("PR_FUTEX_HASH", 78, (1, 16))):
    refused(name, syscall("prctl", option, *(arguments + (0, 0, 0, 0))[:4]), "EPERM", "EINVAL", "ENOSYS")


def dispatch():
    """Where it is set, no further call comes back: the child is killed by SIGSYS, or ends with the errno of the refusal."""
    status = in_child(lambda: os._exit(0 if not syscall("prctl", 59, 1, 0, 0, 0)[1] else ctypes.get_errno()))
    return (status, "") if status >= 0 else (-1, name_of(-status))


refused("PR_SET_SYSCALL_USER_DISPATCH", dispatch, "EPERM", "EINVAL", "ENOSYS")
for option in range(1, 101):
    if option in KNOWN or option == 59:
        continue
    refused("prctl %d" % option, syscall("prctl", option, 0, 0, 0, 0), "EPERM", "EINVAL", "ENOSYS", "EFAULT")
refused("no_new_privs back to 0", syscall("prctl", 38, 0, 0, 0, 0), "EINVAL", "EPERM")
refused("an ambient capability", syscall("prctl", 47, 2, 21, 0, 0), "EPERM", "EINVAL")
refused("seccomp mode 0", syscall("prctl", 22, 0, 0, 0, 0), "EINVAL", "EPERM")
held("%d options" % (20 + 100 - len(KNOWN) + 3))
