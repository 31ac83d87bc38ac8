# case: 85
# title: raw sockets
# tries: SOCK_RAW for ICMP, TCP, RAW over IPv4 and IPv6, SOCK_PACKET, IP_HDRINCL, IP_TRANSPARENT, SO_MARK, SO_BINDTODEVICE
# expect: EPERM
# layers: capabilities
# bound: none
import socket
for family, name in ((2, "IPv4"), (10, "IPv6")):
    for protocol in (1, 6, 58, 255):
        refused("raw %s %d" % (name, protocol), syscall("socket", family, 3, protocol), "EPERM", "EACCES", "EPROTONOSUPPORT")
refused("SOCK_PACKET", syscall("socket", 2, 10, 3), "EPERM", "EACCES", "ESOCKTNOSUPPORT", "EINVAL", "EAFNOSUPPORT")
try:
    one = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
except OSError:
    held("there are no sockets of IPv4 either")
for name, level, option in (("IP_HDRINCL", 0, 3), ("IP_TRANSPARENT", 0, 19), ("SO_MARK", 1, 36), ("TCP_REPAIR", 6, 19)):
    refused(name, lambda: one.setsockopt(level, option, 1), "EPERM", "EACCES", "ENOPROTOOPT")
held()
