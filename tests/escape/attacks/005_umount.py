# case: 5
# title: umount
# tries: umount2 of /proc, /usr, a mask below /proc and the workspace, plain, MNT_DETACH and MNT_FORCE
# expect: EPERM
# layers: seccomp capabilities
# safe: no, on a host without a sandbox it would take the mount away
for path in (b"/proc", b"/usr", b"/proc/keys", b"/proc/sys", b"/dev/null", b"/tmp", b"."):
    for flags in (0, 2, 1, 8):
        refused("umount2 %s %d" % (path.decode(), flags), syscall("umount2", path, flags), "EPERM")
held()
