# case: 105
# title: chains of vfork and clone
# tries: each child starts the next by clone with CLONE_VFORK and CLONE_PARENT, to a depth of 300
# expect: EAGAIN before 300
# layers: process_limit
# bound: forks<=300
if not has_syscall("fork"):
    na("written for the order of arguments of x86_64")
VFORK, PARENT, SIGCHLD = 0x4000, 0x8000, 17
reader, writer = os.pipe()


def chain(flags):
    """How deep it went before it was refused; every link waits for the one below, and they end from the bottom up."""
    top = os.fork()
    if top == 0:
        depth = 0
        while depth < 300:
            result, error = syscall("clone", flags | SIGCHLD, 0, 0, 0, 0)
            if error:
                os.write(writer, b"%d %s\n" % (depth, error.encode()))
                os._exit(0)
            if result:
                syscall("wait4", result, 0, 0, 0)
                os._exit(0)
            depth += 1
        os.write(writer, b"%d none\n" % depth)
        os._exit(0)
    os.waitpid(top, 0)
    return os.read(reader, 100).decode().split()


for name, flags in (("fork", 0), ("vfork", VFORK)):
    depth, error = chain(flags)
    if error != "EAGAIN":
        wrong("a chain by %s reached %s, and then %s" % (name, depth, error))
    note("%s: EAGAIN at %s" % (name, depth))
held("EAGAIN at %s links" % depth)
