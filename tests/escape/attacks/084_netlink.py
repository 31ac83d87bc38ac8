# case: 84
# title: netlink
# tries: NETLINK_NETFILTER, KOBJECT_UEVENT, XFRM, AUDIT, GENERIC, SOCK_DIAG, CRYPTO; ROUTE, and with it a new link
# expect: EPERM or EAFNOSUPPORT; ROUTE by policy, and then without rights
# layers: seccomp
# bound: none
for name, protocol in (("NETFILTER", 12), ("KOBJECT_UEVENT", 15), ("XFRM", 6), ("AUDIT", 9), ("GENERIC", 16), ("SOCK_DIAG", 4),
                       ("CRYPTO", 21), ("SELINUX", 7), ("ISCSI", 8), ("RDMA", 20)):
    refused(name, syscall("socket", 16, 3, protocol), "EPERM", "EAFNOSUPPORT", "EPROTONOSUPPORT")
descriptor, error = syscall("socket", 16, 3, 0)
if not error:
    import socket
    import struct
    route = socket.socket(fileno=descriptor)
    message = struct.pack("=IHHIIBBHiII", 32, 16, 5 | 0x600, 1, 0, 0, 0, 0, 0, 0, 0)  # RTM_NEWLINK
    route.send(message)
    answer = route.recv(4096)
    if struct.unpack_from("=HH i", answer, 4)[0] == 2 and struct.unpack_from("=i", answer, 16)[0] == 0:
        wrong("a link was made by NETLINK_ROUTE")
held("others refused; NETLINK_ROUTE " + (error or "is there, without rights"))
