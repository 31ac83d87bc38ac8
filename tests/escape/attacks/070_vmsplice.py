# case: 70
# title: vmsplice
# tries: giving a page to a pipe by vmsplice, also as a gift
# expect: EPERM
# layers: seccomp
# bound: none


class Piece(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]


page = ctypes.create_string_buffer(8192)
piece = Piece((ctypes.addressof(page) + 4095) & ~4095, 4096)
reader, writer = os.pipe()
refused("vmsplice", syscall("vmsplice", writer, piece, 1, 2), "EPERM")
refused("vmsplice as a gift", syscall("vmsplice", writer, piece, 1, 8 | 2), "EPERM")
held()
