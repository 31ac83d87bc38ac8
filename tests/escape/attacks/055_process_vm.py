# case: 55
# title: memory of other processes
# tries: process_vm_readv and process_vm_writev of itself, of its parent and of init
# expect: EPERM
# layers: seccomp
# bound: none
# safe: no, writes into process 1


class Piece(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]


buffer, source = ctypes.create_string_buffer(8), ctypes.create_string_buffer(8)
local, remote = Piece(ctypes.addressof(buffer), 8), Piece(ctypes.addressof(source), 8)
for who, pid in (("itself", os.getpid()), ("its parent", os.getppid()), ("init", 1)):
    for call in ("process_vm_readv", "process_vm_writev"):
        refused("%s of %s" % (call, who), syscall(call, pid, local, 1, remote, 1, 0), "EPERM")
held()
