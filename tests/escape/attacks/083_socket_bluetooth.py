# case: 83
# title: sockets of AF_BLUETOOTH: radio
# tries: socket and socketpair of family 31, of its own type and as stream, datagram, packet and raw
# expect: EPERM, or EAFNOSUPPORT
# layers: seccomp
# bound: none
for kind in (3, 1, 2, 3, 5):
    refused("socket AF_BLUETOOTH type %d" % kind, syscall("socket", 31, kind, 1), "EPERM", "EAFNOSUPPORT")
    refused("socketpair AF_BLUETOOTH type %d" % kind, syscall("socketpair", 31, kind, 0, (ctypes.c_int * 2)()), "EPERM", "EAFNOSUPPORT")
held()
