# case: 115
# title: a million empty files
# tries: files, directories and links in /tmp and /dev/shm until it is refused
# expect: ENOSPC at the number of inodes, before 100000
# layers: -
# bound: files<=100000
for place in ("/tmp", "/dev/shm"):
    base = os.path.join(place, "inodes.%d" % os.getpid())
    try:
        os.mkdir(base)
    except OSError as failure:
        note("%s: %s" % (place, name_of(failure.errno)))
        continue
    count, error = 0, ""
    while count < 100000:
        try:
            if count % 3 == 0:
                os.close(os.open("%s/%d" % (base, count), os.O_CREAT | os.O_WRONLY, 0o600))
            elif count % 3 == 1:
                os.mkdir("%s/%d" % (base, count))
            else:
                os.symlink("x", "%s/%d" % (base, count))
        except OSError as failure:
            error = name_of(failure.errno)
            break
        count += 1
    for name in range(count):
        path = "%s/%d" % (base, name)
        os.rmdir(path) if name % 3 == 1 else os.unlink(path)
    os.rmdir(base)
    refused("%s, after %d" % (place, count), (count if not error else -1, error), "ENOSPC", "EDQUOT", "ENOMEM")
held()
