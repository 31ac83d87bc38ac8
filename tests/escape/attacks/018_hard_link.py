# case: 18
# title: hard link to a file outside
# tries: link files of /usr, /etc and /proc into the workspace and /tmp, also by /proc/self/fd and AT_EMPTY_PATH
# expect: EXDEV or EPERM
# layers: mount_namespace
# safe: yes, a link that could be made is removed at once
AT_FDCWD, FOLLOW, EMPTY = -100, 0x400, 0x1000
denied = ("EXDEV", "EPERM", "EACCES", "ENOENT", "EROFS")
for place in (b"./escape_hard", b"/tmp/escape_hard"):
    for source in ("/usr/bin/env", "/etc/passwd", "/etc/ld.so.cache", "/proc/self/status", "/dev/null"):
        descriptor = os.open(source, os.O_RDONLY)
        for what, call in (("link", ("linkat", AT_FDCWD, source.encode(), AT_FDCWD, place, 0)),
                           ("link by /proc/self/fd", ("linkat", AT_FDCWD, b"/proc/self/fd/%d" % descriptor, AT_FDCWD, place, FOLLOW)),
                           ("link by descriptor", ("linkat", descriptor, b"", AT_FDCWD, place, EMPTY))):
            result = syscall(*call)
            if not result[1]:
                os.unlink(place)
            refused("%s %s" % (what, source), result, *denied)
        os.close(descriptor)
held()
