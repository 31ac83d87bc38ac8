# case: 83
# title: sockets of AF_CAN: buses of vehicles
# tries: socket and socketpair of family 29, of its own type and as stream, datagram, packet and raw
# expect: EPERM, or EAFNOSUPPORT
# layers: seccomp
# bound: none
for kind in (3, 1, 2, 3, 5):
    refused("socket AF_CAN type %d" % kind, syscall("socket", 29, kind, 1), "EPERM", "EAFNOSUPPORT")
    refused("socketpair AF_CAN type %d" % kind, syscall("socketpair", 29, kind, 0, (ctypes.c_int * 2)()), "EPERM", "EAFNOSUPPORT")
held()
