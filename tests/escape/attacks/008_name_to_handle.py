# case: 8
# title: name_to_handle_at
# tries: the handle of / and of a file
# expect: EPERM
# layers: seccomp
class Handle(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_uint), ("type", ctypes.c_int), ("data", ctypes.c_ubyte * 128)]


for path in (b"/", b"/usr/bin/env"):
    handle = Handle(128, 0)
    mount = ctypes.c_int()
    refused("name_to_handle_at " + path.decode(), syscall("name_to_handle_at", -100, path, handle, ctypes.byref(mount), 0),
            "EPERM", "ENOSYS")
held()
