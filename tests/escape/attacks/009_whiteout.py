# case: 9
# title: the one device node that needs no right
# tries: mknod and mknodat of c 0:0, an overlay's whiteout, and rename with RENAME_WHITEOUT
# expect: EPERM
# layers: seccomp landlock
# safe: yes, a node that could be made is removed at once
for path in (b"escape_whiteout", b"/tmp/escape_whiteout"):
    for call in (("mknod", path, 0o020000, 0), ("mknodat", -100, path, 0o020000, 0)):
        if has_syscall(call[0]):
            result = syscall(*call)
            if not result[1]:
                os.unlink(path)
            refused("%s 0:0" % call[0], result, "EPERM", "EACCES")
held()
