# case: 65
# title: hardware ports and segment descriptors
# tries: iopl(3), ioperm of the keyboard's port, modify_ldt reading and writing
# expect: EPERM
# layers: seccomp
# bound: none
if not has_syscall("iopl"):
    na("this architecture has neither ports nor segment descriptors")
refused("iopl", syscall("iopl", 3), "EPERM")
refused("ioperm", syscall("ioperm", 0x60, 1, 1), "EPERM")
entry = (ctypes.c_uint32 * 4)(0, 0, 0xfffff, 0x51)  # a 32-bit data segment
refused("modify_ldt, write", syscall("modify_ldt", 1, entry, 16), "EPERM")
refused("modify_ldt, read", syscall("modify_ldt", 0, entry, 16), "EPERM")
held()
