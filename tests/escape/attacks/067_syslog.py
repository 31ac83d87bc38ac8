# case: 67
# title: the kernel's log
# tries: syslog: size of the buffer, read all, console level
# expect: EPERM
# layers: seccomp
# bound: none
buffer = ctypes.create_string_buffer(4096)
for name, action in (("size", 10), ("read all", 3), ("console level", 8)):
    refused("syslog " + name, syscall("syslog", action, buffer, 4096 if action == 3 else 99), "EPERM")
held()
