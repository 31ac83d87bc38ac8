# case: 71
# title: memory that no limit sees
# tries: memfd_secret
# expect: EPERM
# layers: seccomp
# bound: none
refused("memfd_secret", syscall("memfd_secret", 0), "EPERM")
held()
