# case: 44
# title: setns
# tries: the namespaces of init, of this process and by a pidfd
# expect: EPERM
# layers: seccomp capabilities
for name in ("mnt", "user", "net", "pid", "ipc", "uts", "cgroup", "time"):
    for process in ("self", "1"):
        descriptor, error = attempt(os.open, "/proc/%s/ns/%s" % (process, name), os.O_RDONLY)
        if error:
            refused("open /proc/%s/ns/%s" % (process, name), (-1, error), "EACCES", "EPERM", "ENOENT")
            continue
        refused("setns %s of %s" % (name, process), syscall("setns", descriptor, 0), "EPERM")
        os.close(descriptor)
descriptor, error = attempt(syscall, "pidfd_open", os.getpid(), 0)
if not error:
    refused("setns by pidfd", syscall("setns", descriptor, 0x20000 | 0x10000000), "EPERM")
refused("setns(0)", syscall("setns", 0, 0), "EPERM")
held()
