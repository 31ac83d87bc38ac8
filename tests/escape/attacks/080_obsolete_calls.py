# case: 80
# title: calls that only old programs know
# tries: lookup_dcookie, uselib, sysfs, nfsservctl, _sysctl, ustat, create_module, query_module, remap_file_pages and others
# expect: ENOSYS or EPERM
# layers: seccomp
# bound: none
# safe: no, hangs up the terminal
for name in ("lookup_dcookie", "uselib", "sysfs", "nfsservctl", "_sysctl", "ustat", "create_module", "query_module",
             "get_kernel_syms", "afs_syscall", "getpmsg", "putpmsg", "security", "tuxcall", "vserver", "epoll_ctl_old",
             "epoll_wait_old", "remap_file_pages", "vhangup"):
    refused(name, syscall(name, 0, 0, 0, 0, 0), "ENOSYS", "EPERM")
held()
