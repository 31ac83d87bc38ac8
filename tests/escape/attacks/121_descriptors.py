# case: 121
# title: descriptors without an end
# tries: opening /dev/null, pipes, sockets and epoll until it is refused; raising the limit
# expect: EMFILE before 5000; the limit is not raised
# layers: -
# bound: descriptors<=5000
import resource
import select
import socket
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
try:
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard + 1, hard + 1))
    wrong("RLIMIT_NOFILE was raised")
except (ValueError, OSError):
    pass
for name, action in (("files", lambda: [os.open("/dev/null", os.O_RDONLY)]), ("pipes", lambda: list(os.pipe())),
                     ("epoll", lambda: [select.epoll()]), ("sockets", lambda: list(socket.socketpair()))):
    kept, error = [], ""
    try:
        while len(kept) < 5000:
            kept += action()
    except OSError as failure:
        error = name_of(failure.errno)
    count = len(kept)
    for one in kept:
        os.close(one) if isinstance(one, int) else one.close()
    refused("%d %s" % (count, name), (count if not error else -1, error), "EMFILE", "ENFILE", "ENOMEM")
held()
