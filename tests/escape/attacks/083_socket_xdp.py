# case: 83
# title: sockets of AF_XDP: raw frames through shared memory
# tries: socket and socketpair of family 44, of its own type and as stream, datagram, packet and raw
# expect: EPERM, or EAFNOSUPPORT
# layers: seccomp
# bound: none
for kind in (3, 1, 2, 3, 5):
    refused("socket AF_XDP type %d" % kind, syscall("socket", 44, kind, 0), "EPERM", "EAFNOSUPPORT")
    refused("socketpair AF_XDP type %d" % kind, syscall("socketpair", 44, kind, 0, (ctypes.c_int * 2)()), "EPERM", "EAFNOSUPPORT")
held()
