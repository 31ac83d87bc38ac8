# case: 164
# title: files by handle and by identity
# tries: name_to_handle_at with AT_HANDLE_FID, AT_EMPTY_PATH and MNT_ID_UNIQUE, open_by_handle_at with a guessed handle and with FD_PIDFS_ROOT
# expect: EPERM
# layers: seccomp
# bound: none
handle = ctypes.create_string_buffer(b"\x80\0\0\0" + bytes(132))
mount = (ctypes.c_int64 * 1)()
for flags in (0, 0x200, 0x1000, 0x001, 0x002, 0x1200):
    refused("name_to_handle_at flags %x" % flags, syscall("name_to_handle_at", -100, b"/", handle, mount, flags), "EPERM", "ENOSYS")
guess = ctypes.create_string_buffer(b"\x08\0\0\0\x01\0\0\0" + b"\x02\0\0\0\0\0\0\0")  # inode 2: the root of the host's file system
root = os.open("/", os.O_RDONLY)
for descriptor in (root, -100, -10002):
    refused("open_by_handle_at of %d" % descriptor, syscall("open_by_handle_at", descriptor, guess, os.O_RDONLY), "EPERM", "ENOSYS")
held()
