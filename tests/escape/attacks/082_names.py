# case: 82
# title: datagrams and names
# tries: sending DNS questions to 8.8.8.8 and to a multicast and a broadcast address, and getaddrinfo
# expect: ENETUNREACH, EACCES or EPERM; no name is found
# layers: -
# bound: none
import socket
QUESTION = b"\x13\x37\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x06secret\x07example\x03com\x00\x00\x01\x00\x01"
for host in ("8.8.8.8", "9.9.9.9", "224.0.0.251", "255.255.255.255", "169.254.169.253"):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        try:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        except OSError:
            pass
        refused("UDP to " + host, lambda: one.sendto(QUESTION, (host, 53)), "ENETUNREACH", "EACCES", "EPERM")
for name in ("example.com", "secret.example.com", "dns.google"):
    try:
        wrong("getaddrinfo found %s: %s" % (name, socket.getaddrinfo(name, 80)))
    except socket.gaierror:
        pass
held()
