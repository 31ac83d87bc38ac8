# case: 64
# title: swap, accounting, quotas
# tries: swapon and swapoff of a file that is not there, acct to one, quotactl Q_GETFMT, Q_QUOTAON, Q_SETQUOTA
# expect: EPERM
# layers: seccomp
# bound: none
refused("swapon", syscall("swapon", b"/nothing/here", 0), "EPERM")
refused("swapoff", syscall("swapoff", b"/nothing/here"), "EPERM")
refused("acct", syscall("acct", b"/nothing/here"), "EPERM")
for name, command in (("Q_GETFMT", 0x800004), ("Q_QUOTAON", 0x800002), ("Q_SETQUOTA", 0x800008)):
    refused("quotactl " + name, syscall("quotactl", command << 8, b"/dev/none", 0, 0), "EPERM")
refused("quotactl_fd", syscall("quotactl_fd", 0, 0x800004 << 8, 0, 0), "EPERM")
held()
