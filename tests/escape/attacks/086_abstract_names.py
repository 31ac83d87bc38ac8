# case: 86
# title: abstract sockets of the host
# tries: connecting to the abstract names of X11, dbus, containerd and systemd
# expect: ECONNREFUSED or EPERM
# layers: -
# bound: none
import socket
for name in ("/tmp/.X11-unix/X0", "/tmp/.X11-unix/X1", "/tmp/dbus-session", "/run/user/1000/bus", "/containerd-shim/x.sock",
             "/org/kernel/linux/storage/multipathd", "ISCSIADM_ABSTRACT_NAMESPACE"):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
        with socket.socket(socket.AF_UNIX, kind) as one:
            refused("@%s type %d" % (name, kind), lambda: one.connect("\0" + name), "ECONNREFUSED", "EPERM", "EACCES")
held()
