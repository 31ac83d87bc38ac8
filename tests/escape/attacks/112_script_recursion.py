# case: 112
# title: scripts that are their own interpreter
# tries: `#!` naming itself, two that name each other, a chain of ten; executed by path, by descriptor, and by one that closes
# expect: ELOOP, ENOEXEC or ENOENT; EACCES where the place is noexec
# layers: -
# bound: bytes<=1K
home = os.environ.get("TMPDIR", "/tmp")
base = os.path.join(home, "loop%d." % os.getpid())


def script(name, interpreter):
    with open(base + name, "w") as file:
        file.write("#!%s\n" % interpreter)
    os.chmod(base + name, 0o700)
    return base + name


itself = script("self", base + "self")
script("a", base + "b")
mutual = script("b", base + "a")
chain = "/bin/true"
for index in range(10):
    chain = script("c%d" % index, chain)
for name, path in (("itself", itself), ("each other", mutual), ("a chain of ten", chain)):
    def start(path=path):
        os.execv(path, [path])

    end = in_child(start)
    if -end not in (errno.ELOOP, errno.ENOEXEC, errno.EACCES):
        wrong("%s: %s" % (name, end))
    else:
        note("%s: %s" % (name, name_of(-end)))
    for flags in (0, os.O_CLOEXEC):
        descriptor = os.open(path, os.O_RDONLY | flags)

        def by_descriptor():
            result, error = syscall("execveat", descriptor, b"", 0, 0, 0x1000)
            raise OSError(getattr(errno, error), error)

        end = in_child(by_descriptor)
        if -end not in (errno.ELOOP, errno.ENOEXEC, errno.EACCES, errno.ENOENT):
            wrong("%s by descriptor: %s" % (name, end))
        os.close(descriptor)
for name in ["self", "a", "b"] + ["c%d" % index for index in range(10)]:
    os.unlink(base + name)
held("refused: " + name_of(-end))
