# case: 83
# title: sockets of AF_NFC: radio
# tries: socket and socketpair of family 39, of its own type and as stream, datagram, packet and raw
# expect: EPERM, or EAFNOSUPPORT
# layers: seccomp
# bound: none
for kind in (3, 1, 2, 3, 5):
    refused("socket AF_NFC type %d" % kind, syscall("socket", 39, kind, 0), "EPERM", "EAFNOSUPPORT")
    refused("socketpair AF_NFC type %d" % kind, syscall("socketpair", 39, kind, 0, (ctypes.c_int * 2)()), "EPERM", "EAFNOSUPPORT")
held()
