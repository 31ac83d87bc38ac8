# case: 79
# title: locked memory
# tries: locking 64 MiB by mlock, mlock2 and mlockall, and raising the limit
# expect: ENOMEM, EAGAIN or EPERM
# layers: -
# bound: bytes<=64M
import mmap
import resource
SIZE = 64 << 20
area = mmap.mmap(-1, SIZE)
start = ctypes.addressof(ctypes.c_char.from_buffer(area))
refused("mlock", syscall("mlock", start, SIZE), "ENOMEM", "EPERM", "EAGAIN")
refused("mlock2 on fault", syscall("mlock2", start, SIZE, 1), "ENOMEM", "EPERM", "EAGAIN")
refused("mlockall, what is there", syscall("mlockall", 1), "ENOMEM", "EPERM", "EAGAIN")
try:
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (SIZE * 2, SIZE * 2))
    wrong("RLIMIT_MEMLOCK was raised")
except (ValueError, OSError):
    pass
held()
