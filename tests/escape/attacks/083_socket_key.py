# case: 83
# title: sockets of AF_KEY: IPsec keys
# tries: socket and socketpair of family 15, of its own type and as stream, datagram, packet and raw
# expect: EPERM, or EAFNOSUPPORT
# layers: seccomp
# bound: none
for kind in (3, 1, 2, 3, 5):
    refused("socket AF_KEY type %d" % kind, syscall("socket", 15, kind, 2), "EPERM", "EAFNOSUPPORT")
    refused("socketpair AF_KEY type %d" % kind, syscall("socketpair", 15, kind, 0, (ctypes.c_int * 2)()), "EPERM", "EAFNOSUPPORT")
held()
