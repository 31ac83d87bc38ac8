# case: 57
# title: bpf
# tries: making an array map, loading a socket filter, reading the ids of loaded programs
# expect: EPERM
# layers: seccomp
# bound: none
MAP_CREATE, PROG_LOAD, PROG_GET_NEXT_ID = 0, 5, 11
attributes = (ctypes.c_uint32 * 32)()
attributes[0], attributes[1], attributes[2], attributes[3] = 2, 4, 4, 1  # an array of one 4-byte value
refused("BPF_MAP_CREATE", syscall("bpf", MAP_CREATE, attributes, 128), "EPERM")


class Load(ctypes.Structure):
    _fields_ = [("type", ctypes.c_uint32), ("count", ctypes.c_uint32), ("code", ctypes.c_uint64), ("license", ctypes.c_uint64),
                ("rest", ctypes.c_uint64 * 12)]


code = (ctypes.c_uint64 * 2)(0x00000000000000B7, 0x0000000000000095)  # r0 = 0; exit
license = ctypes.create_string_buffer(b"GPL")
load = Load(1, 2, ctypes.addressof(code), ctypes.addressof(license))
refused("BPF_PROG_LOAD", syscall("bpf", PROG_LOAD, load, ctypes.sizeof(load)), "EPERM")
refused("BPF_PROG_GET_NEXT_ID", syscall("bpf", PROG_GET_NEXT_ID, (ctypes.c_uint32 * 32)(), 128), "EPERM")
held()
