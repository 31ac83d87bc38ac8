# case: 83
# title: every other socket family
# tries: socket of all families from 3 to 63 but IPv6 and netlink, in all types
# expect: EPERM or EAFNOSUPPORT
# layers: seccomp
# bound: none
tried = 0
for family in range(3, 64):
    if family in (10, 16):  # IPv6; netlink has case 84
        continue
    for kind in (1, 2, 3, 4, 5, 6, 10):
        refused("family %d type %d" % (family, kind), syscall("socket", family, kind, 0), "EPERM", "EAFNOSUPPORT")
        tried += 1
refused("family 1<<32|1", syscall("socket", 1 << 32 | 38, 5, 0), "EPERM", "EAFNOSUPPORT")
held("%d sockets refused" % (tried + 1))
