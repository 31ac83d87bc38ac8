# case: 83
# title: sockets of AF_TIPC: clusters; a history of kernel bugs
# tries: socket and socketpair of family 30, of its own type and as stream, datagram, packet and raw
# expect: EPERM, or EAFNOSUPPORT
# layers: seccomp
# bound: none
for kind in (4, 1, 2, 3, 5):
    refused("socket AF_TIPC type %d" % kind, syscall("socket", 30, kind, 0), "EPERM", "EAFNOSUPPORT")
    refused("socketpair AF_TIPC type %d" % kind, syscall("socketpair", 30, kind, 0, (ctypes.c_int * 2)()), "EPERM", "EAFNOSUPPORT")
held()
