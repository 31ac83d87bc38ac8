# case: 56
# title: kernel objects and descriptors of other processes
# tries: kcmp, pidfd_getfd, process_madvise, on itself and on init
# expect: EPERM
# layers: seccomp
# bound: none
KCMP_FILE, MADV_COLD = 0, 20


class Piece(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]


page = ctypes.create_string_buffer(8192)
piece = Piece((ctypes.addressof(page) + 4095) & ~4095, 4096)
for who, pid in (("itself", os.getpid()), ("init", 1)):
    refused("kcmp with " + who, syscall("kcmp", os.getpid(), pid, KCMP_FILE, 0, 0), "EPERM")
    descriptor, error = syscall("pidfd_open", pid, 0)
    if error:
        descriptor = -1
    refused("pidfd_getfd of " + who, syscall("pidfd_getfd", descriptor, 0, 0), "EPERM")
    refused("process_madvise of " + who, syscall("process_madvise", descriptor, piece, 1, MADV_COLD, 0), "EPERM")
held()
