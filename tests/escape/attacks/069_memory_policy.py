# case: 69
# title: placement of memory
# tries: mbind, set_mempolicy, set_mempolicy_home_node, migrate_pages and move_pages of itself
# expect: EPERM
# layers: seccomp
# bound: none
page = ctypes.create_string_buffer(8192)
start = (ctypes.addressof(page) + 4095) & ~4095
nodes, pages, status = (ctypes.c_uint64 * 1)(1), (ctypes.c_uint64 * 1)(start), (ctypes.c_int32 * 1)()
refused("mbind", syscall("mbind", start, 4096, 1, nodes, 64, 0), "EPERM")
refused("set_mempolicy", syscall("set_mempolicy", 0, 0, 0), "EPERM")
refused("set_mempolicy_home_node", syscall("set_mempolicy_home_node", start, 4096, 0, 0), "EPERM")
refused("migrate_pages", syscall("migrate_pages", 0, 64, nodes, nodes), "EPERM")
refused("move_pages", syscall("move_pages", 0, 1, pages, 0, status, 0), "EPERM")
held()
