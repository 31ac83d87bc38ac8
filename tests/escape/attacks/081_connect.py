# case: 81
# title: TCP to the world, to the host and to the metadata service
# tries: connecting to 1.1.1.1, to 169.254.169.254, to the addresses of a gateway and of public IPv6, and to ports of 127.0.0.1
# expect: ENETUNREACH or EACCES; on 127.0.0.1 nobody listens
# layers: -
# bound: none
import socket


def connect(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as one:
        one.settimeout(5)
        one.connect(address)


for host in ("1.1.1.1", "169.254.169.254", "10.0.2.2", "10.0.0.1", "172.17.0.1", "192.168.1.1", "0.0.0.1"):
    refused("TCP to %s" % host, lambda host=host: connect(socket.AF_INET, (host, 80)), "ENETUNREACH", "EACCES", "EINVAL")
for host in ("2606:4700:4700::1111", "fd00:ec2::254", "::ffff:1.1.1.1"):
    refused("TCP to %s" % host, lambda host=host: connect(socket.AF_INET6, (host, 80)), "ENETUNREACH", "EACCES", "EADDRNOTAVAIL",
            "EAFNOSUPPORT")
for port in (22, 80, 443, 2375, 8000, 8080, 5432, 6379):
    for host in ("127.0.0.1", "0.0.0.0", "127.9.9.9"):
        refused("TCP to %s:%d" % (host, port), lambda host=host, port=port: connect(socket.AF_INET, (host, port)),
                "ECONNREFUSED", "ENETUNREACH", "EACCES")
held()
