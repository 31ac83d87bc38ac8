# case: 73
# title: 32-bit system calls
# tries: `int 0x80` with 32-bit getpid, and with 32-bit mount, from an executable page
# expect: SIGSYS kills the process
# layers: seccomp
# bound: none
import mmap
if platform.machine() != "x86_64":
    na("this architecture has no int 0x80")


def run(number):
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(b"\xb8" + number.to_bytes(4, "little") + b"\x31\xdb\x31\xc9\x31\xd2\xcd\x80\xc3")
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    return lambda: (ctypes.CFUNCTYPE(ctypes.c_int)(address)(), page)


SIGSYS = 31
ends = [in_child(run(number)) for number in (20, 21)]  # getpid, mount
for end in ends:
    if end != SIGSYS:
        escaped("int 0x80 was executed: %s" % ends)
held("SIGSYS")
