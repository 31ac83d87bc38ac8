# case: 48
# title: other identities
# tries: setuid, setgid, setreuid, setresuid, setresgid, setfsuid, setfsgid, setgroups to 0 and to a neighbour
# expect: EPERM or EINVAL
# layers: user_namespace capabilities
for number in (0, 1, os.getuid() + 1, 65534):
    for name in ("setuid", "setgid"):
        refused("%s(%d)" % (name, number), syscall(name, number), "EPERM", "EINVAL")
    for name in ("setreuid", "setregid"):
        refused("%s(%d)" % (name, number), syscall(name, number, number), "EPERM", "EINVAL")
    for name in ("setresuid", "setresgid"):
        refused("%s(%d)" % (name, number), syscall(name, number, number, number), "EPERM", "EINVAL")
    for name in ("setfsuid", "setfsgid"):
        syscall(name, number)
        if syscall(name, -1)[0] == number:
            wrong("%s(%d) took effect" % (name, number))
refused("setgroups(0)", syscall("setgroups", 1, (ctypes.c_uint32 * 1)(0)), "EPERM", "EINVAL")
refused("setgroups()", syscall("setgroups", 0, None), "EPERM", "EINVAL")
held()
