# case: 114
# title: filling the file systems in memory
# tries: writing into /tmp and into /dev/shm until it is refused
# expect: ENOSPC, or ENOMEM and a kill by the memory limit, below 200 MiB each
# layers: memory_limit
# bound: bytes<=200M
block = b"x" * (1 << 20)
for place in ("/tmp", "/dev/shm"):
    path, written, error = os.path.join(place, "fill.%d" % os.getpid()), 0, ""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as failure:
        note("%s: %s" % (place, name_of(failure.errno)))
        continue
    try:
        while written < 200 << 20:
            written += os.write(descriptor, block)
    except OSError as failure:
        error = name_of(failure.errno)
    os.close(descriptor)
    os.unlink(path)
    refused("filling %s, after %d MiB" % (place, written >> 20), (written if not error else -1, error), "ENOSPC", "ENOMEM", "EDQUOT")
held()
