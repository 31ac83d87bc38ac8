# case: 7
# title: pivot_root and the new mount API
# tries: pivot_root, open_tree with OPEN_TREE_CLONE, move_mount, fsopen, fsconfig, fsmount, fspick, mount_setattr, open_tree_attr
# expect: EPERM or ENOSYS
# layers: seccomp capabilities
# safe: no, on a host without a sandbox it would change the mounts
both = ("EPERM", "ENOSYS")
CLONE, RECURSIVE, AT_FDCWD = 1, 0x8000, -100
refused("pivot_root", syscall("pivot_root", b".", b"."), *both)
refused("open_tree clone", syscall("open_tree", AT_FDCWD, b"/", CLONE | RECURSIVE), *both)
refused("move_mount", syscall("move_mount", AT_FDCWD, b"/proc", AT_FDCWD, b"/tmp", 0), *both)
refused("fsopen tmpfs", syscall("fsopen", b"tmpfs", 0), *both)
refused("fsopen proc", syscall("fsopen", b"proc", 0), *both)
refused("fspick", syscall("fspick", AT_FDCWD, b"/", 0), *both)
refused("fsconfig", syscall("fsconfig", 0, 6, None, None, 0), *both)
refused("fsmount", syscall("fsmount", 0, 0, 0), *both)
attributes = (ctypes.c_uint64 * 4)(0, 1, 0, 0)  # clear MOUNT_ATTR_RDONLY
refused("mount_setattr", syscall("mount_setattr", AT_FDCWD, b"/usr", RECURSIVE, attributes, 32), *both)
refused("open_tree_attr", syscall("open_tree_attr", AT_FDCWD, b"/usr", CLONE, attributes, 32), *both)
held()
