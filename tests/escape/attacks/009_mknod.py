# case: 9
# title: device nodes
# tries: mknod and mknodat of c 8:0, b 8:0, b 7:0, c 1:1 (mem), c 1:3 (null), an overlay's whiteout c 0:0
# expect: EPERM
# layers: seccomp capabilities
# safe: yes, a node that could be made is removed at once
S_IFCHR, S_IFBLK = 0o020000, 0o060000


def make(path, mode, device):
    for call in (("mknod", path, mode | 0o666, device), ("mknodat", -100, path, mode | 0o666, device)):
        result = syscall(*call)
        if not has_syscall(call[0]):
            continue
        if not result[1]:
            os.unlink(path)
        refused("%s %o %d:%d" % (call[0], mode, os.major(device), os.minor(device)), result, "EPERM", "EACCES")


for directory in (b"./", b"/tmp/"):
    for mode, major, minor in ((S_IFCHR, 8, 0), (S_IFBLK, 8, 0), (S_IFBLK, 7, 0), (S_IFCHR, 1, 1), (S_IFCHR, 1, 3), (S_IFCHR, 10, 229)):
        make(directory + b"escape_node", mode, os.makedev(major, minor))
held()
