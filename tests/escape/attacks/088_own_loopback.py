# case: 88
# title: its own loopback
# tries: a listener on 127.0.0.1 and a connection to it from a child; then what other interfaces there are
# expect: by policy: it works among the processes of one run, or EACCES; there is no other interface
# layers: -
# bound: none
import socket
try:
    server = socket.socket()
    server.bind(("127.0.0.1", 0))
    server.listen()
    child = os.fork()
    if child == 0:
        try:
            with socket.create_connection(server.getsockname(), 5) as one:
                one.sendall(b"hello")
            os._exit(0)
        except OSError as failure:
            os._exit(failure.errno or 1)
    server.settimeout(5)
    try:
        said = server.accept()[0].recv(5)
    except socket.timeout:
        said = b""
    status = os.waitpid(child, 0)[1]
    policy = "works" if said == b"hello" else "refused: " + name_of(os.WEXITSTATUS(status))
except OSError as failure:
    policy = "refused: " + name_of(failure.errno)
others = [name for _, name in socket.if_nameindex() if name != "lo"]
if others:
    wrong("there are interfaces besides lo: %s" % others)
held("loopback in one run " + policy + "; lo is the only interface")
