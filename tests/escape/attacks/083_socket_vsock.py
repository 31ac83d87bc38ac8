# case: 83
# title: sockets of AF_VSOCK: the hypervisor; Debian's kernel lets everybody make one
# tries: socket and socketpair of family 40, of its own type and as stream, datagram, packet and raw
# expect: EPERM, or EAFNOSUPPORT
# layers: seccomp
# bound: none
for kind in (1, 1, 2, 3, 5):
    refused("socket AF_VSOCK type %d" % kind, syscall("socket", 40, kind, 0), "EPERM", "EAFNOSUPPORT")
    refused("socketpair AF_VSOCK type %d" % kind, syscall("socketpair", 40, kind, 0, (ctypes.c_int * 2)()), "EPERM", "EAFNOSUPPORT")
held()
