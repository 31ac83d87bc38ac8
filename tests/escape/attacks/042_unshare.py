# case: 42
# title: unshare
# tries: every namespace alone, a user namespace with each of them
# expect: EPERM
# layers: seccomp
flags = {"NEWUSER": 0x10000000, "NEWNS": 0x20000, "NEWNET": 0x40000000, "NEWPID": 0x20000000, "NEWIPC": 0x8000000, "NEWUTS": 0x4000000,
         "NEWCGROUP": 0x2000000, "NEWTIME": 0x80}


def in_child_errno(flag):
    """unshare in a child, so that a success does not change this process."""
    status = -in_child(lambda: os._exit({"": 0}.get(syscall("unshare", flag)[1], ctypes.get_errno())))
    return (0, "") if status == 0 else (-1, name_of(status))


for name, flag in flags.items():
    refused("unshare " + name, lambda: in_child_errno(flag), "EPERM")
    refused("unshare NEWUSER with " + name, lambda: in_child_errno(flag | flags["NEWUSER"]), "EPERM")
held()
