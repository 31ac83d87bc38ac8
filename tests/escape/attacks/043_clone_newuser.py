# case: 43
# title: a user namespace by clone and clone3
# tries: clone(CLONE_NEWUSER), with each other namespace, and by clone3
# expect: EPERM; clone3 ENOSYS
# layers: seccomp
SIGCHLD = 17
flags = {"NEWUSER": 0x10000000, "NEWNS": 0x20000, "NEWNET": 0x40000000, "NEWPID": 0x20000000, "NEWIPC": 0x8000000, "NEWUTS": 0x4000000,
         "NEWCGROUP": 0x2000000}


def end_child(result):
    if result[0] == 0:  # the child, in a namespace that it should not have
        os._exit(0)
    if result[0] > 0:
        os.waitpid(result[0], 0)
    return result


for name, flag in flags.items():
    refused("clone " + name, end_child(syscall("clone", flag | SIGCHLD, None, None, None, None)), "EPERM")
    refused("clone NEWUSER with " + name, end_child(syscall("clone", flag | flags["NEWUSER"] | SIGCHLD, None, None, None, None)), "EPERM")
    arguments = (ctypes.c_uint64 * 11)(flag | flags["NEWUSER"], 0, 0, 0, SIGCHLD)
    refused("clone3 " + name, end_child(syscall("clone3", arguments, 88)), "EPERM", "ENOSYS")
# The bit in the upper half of the register must not slip through a 32-bit comparison.
refused("clone with a high bit", end_child(syscall("clone", (1 << 32) | flags["NEWUSER"] | SIGCHLD, None, None, None, None)), "EPERM", "EINVAL")
held()
