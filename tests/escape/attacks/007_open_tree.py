# case: 7
# title: the calls of the mount API that need no right
# tries: open_tree without a clone, statmount, listmount
# expect: EPERM or ENOSYS
# layers: seccomp
both = ("EPERM", "ENOSYS")
refused("open_tree", syscall("open_tree", -100, b"/", 0), *both)
request = (ctypes.c_uint64 * 3)(24, 0xffffffffffffffff, 0)
room = (ctypes.c_uint64 * 64)()
refused("listmount", syscall("listmount", request, room, 64, 0), *both)
refused("statmount", syscall("statmount", request, room, 512, 0), *both)
held()
