# case: 83
# title: sockets of AF_RDS: reliable datagrams; a history of kernel bugs
# tries: socket and socketpair of family 21, of its own type and as stream, datagram, packet and raw
# expect: EPERM, or EAFNOSUPPORT
# layers: seccomp
# bound: none
for kind in (5, 1, 2, 3, 5):
    refused("socket AF_RDS type %d" % kind, syscall("socket", 21, kind, 0), "EPERM", "EAFNOSUPPORT")
    refused("socketpair AF_RDS type %d" % kind, syscall("socketpair", 21, kind, 0, (ctypes.c_int * 2)()), "EPERM", "EAFNOSUPPORT")
held()
