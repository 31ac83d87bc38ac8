# case: 12
# title: set-id bits at creation
# tries: open, openat, openat2, creat, mknod(at) and mkdir(at) with set-id bits in the mode
# expect: EPERM (openat2 ENOSYS), or the bit is absent
# layers: seccomp
# safe: yes, what is made is removed at once
os.umask(0)
flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
how = (ctypes.c_uint64 * 3)(flags, 0o6755, 0)
for bits in (0o4755, 0o2755, 0o6755):
    for call in (("open", b"escape_made", flags, bits), ("openat", -100, b"escape_made", flags, bits),
                 ("openat2", -100, b"escape_made", how, 24), ("creat", b"escape_made", bits),
                 ("mknod", b"escape_made", 0o100000 | bits, 0), ("mknodat", -100, b"escape_made", 0o100000 | bits, 0),
                 ("mkdir", b"escape_made", bits), ("mkdirat", -100, b"escape_made", bits)):
        if not has_syscall(call[0]):
            continue
        result, name = syscall(*call)
        if name:
            if name not in ("EPERM", "ENOSYS"):
                note("unexpected: %s %o gave %s" % (call[0], bits, name))
            continue
        if os.lstat("escape_made").st_mode & 0o6000:
            wrong("%s %o made it with the bit" % (call[0], bits))
        (os.rmdir if os.path.isdir("escape_made") else os.unlink)("escape_made")
held("no way of creation leaves the bit")
