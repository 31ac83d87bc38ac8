# case: 12
# title: set-id bits by chmod
# tries: chmod, fchmod, fchmodat, fchmodat2 with 4755, 2755 and 6755 on a file and a directory of the workspace
# expect: EPERM
# layers: seccomp
# safe: yes, what is made is removed at once
path = b"escape_suid"
descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o755)
os.mkdir("escape_sdir")
for bits in (0o4755, 0o2755, 0o6755):
    for call in (("chmod", path, bits), ("fchmod", descriptor, bits), ("fchmodat", -100, path, bits),
                 ("fchmodat2", -100, path, bits, 0), ("chmod", b"escape_sdir", bits), ("fchmodat", -100, b"escape_sdir", bits)):
        if has_syscall(call[0]):
            refused("%s %o" % (call[0], bits), syscall(*call), "EPERM", "ENOSYS")
for name in ("escape_suid", "escape_sdir"):
    if os.lstat(name).st_mode & 0o6000:
        wrong("the bit is set on " + name)
os.unlink(path)
os.rmdir("escape_sdir")
held()
