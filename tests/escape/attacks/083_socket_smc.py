# case: 83
# title: sockets of AF_SMC: shared memory over RDMA
# tries: socket and socketpair of family 43, of its own type and as stream, datagram, packet and raw
# expect: EPERM, or EAFNOSUPPORT
# layers: seccomp
# bound: none
for kind in (1, 1, 2, 3, 5):
    refused("socket AF_SMC type %d" % kind, syscall("socket", 43, kind, 0), "EPERM", "EAFNOSUPPORT")
    refused("socketpair AF_SMC type %d" % kind, syscall("socketpair", 43, kind, 0, (ctypes.c_int * 2)()), "EPERM", "EAFNOSUPPORT")
held()
