# case: 83
# title: sockets of AF_ALG: the kernel's cipher interface, a way to root more than once
# tries: socket and socketpair of family 38, of its own type and as stream, datagram, packet and raw
# expect: EPERM, or EAFNOSUPPORT
# layers: seccomp
# bound: none
for kind in (5, 1, 2, 3, 5):
    refused("socket AF_ALG type %d" % kind, syscall("socket", 38, kind, 0), "EPERM", "EAFNOSUPPORT")
    refused("socketpair AF_ALG type %d" % kind, syscall("socketpair", 38, kind, 0, (ctypes.c_int * 2)()), "EPERM", "EAFNOSUPPORT")
held()
