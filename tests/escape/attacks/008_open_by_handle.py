# case: 8
# title: open_by_handle_at (Shocker)
# tries: the handles of inodes 2 (ext4) and 128 (xfs), the root of the file system below every mount in reach
# expect: EPERM
# layers: seccomp capabilities
class Handle(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_uint), ("type", ctypes.c_int), ("data", ctypes.c_ubyte * 16)]


for path in ("/usr", ".", "/tmp", "/etc", "/"):
    mount = os.open(path, os.O_RDONLY)
    for inode in (2, 128):
        handle = Handle(8, 1, (ctypes.c_ubyte * 16)(inode))
        refused("inode %d of %s" % (inode, path), syscall("open_by_handle_at", mount, handle, os.O_RDONLY), "EPERM", "ENOSYS")
held()
