# case: 4
# title: mount
# tries: remount /usr and / writable, mount a tmpfs, a proc and a bind, change propagation
# expect: EPERM
# layers: seccomp capabilities
# safe: no, on a host without a sandbox a remount would last
MS_REMOUNT, MS_BIND, MS_SHARED, MS_REC, MS_MOVE = 32, 4096, 1 << 20, 16384, 8192
refused("remount /usr", syscall("mount", b"none", b"/usr", None, MS_REMOUNT | MS_BIND, None), "EPERM")
refused("remount /", syscall("mount", b"none", b"/", None, MS_REMOUNT | MS_BIND, None), "EPERM")
refused("tmpfs on /tmp", syscall("mount", b"tmpfs", b"/tmp", b"tmpfs", 0, None), "EPERM")
refused("proc on /tmp", syscall("mount", b"proc", b"/tmp", b"proc", 0, None), "EPERM")
refused("bind / on /tmp", syscall("mount", b"/", b"/tmp", None, MS_BIND | MS_REC, None), "EPERM")
refused("share /", syscall("mount", b"none", b"/", None, MS_SHARED | MS_REC, None), "EPERM")
refused("move /tmp", syscall("mount", b"/tmp", b"/dev/shm", None, MS_MOVE, None), "EPERM")
held()
