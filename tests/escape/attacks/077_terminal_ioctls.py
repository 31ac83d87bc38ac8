# case: 77
# title: typing into terminals
# tries: ioctl TIOCSTI, TIOCSTI with bit 32 set, TIOCLINUX, TIOCSETD, on standard input and on a pseudo terminal if there is one
# expect: EPERM, before the descriptor is looked at
# layers: seccomp
# bound: none
TIOCSTI, TIOCLINUX, TIOCSETD = 0x5412, 0x541C, 0x5423
letter, discipline = ctypes.create_string_buffer(b"x"), (ctypes.c_int * 1)(0)
where = [("standard input", 0)]
try:
    where.append(("a pseudo terminal", os.openpty()[1]))
except OSError:
    pass
for name, descriptor in where:
    refused("TIOCSTI on " + name, syscall("ioctl", descriptor, TIOCSTI, letter), "EPERM")
    refused("TIOCSTI|1<<32 on " + name, syscall("ioctl", descriptor, TIOCSTI | 1 << 32, letter), "EPERM")
    refused("TIOCLINUX on " + name, syscall("ioctl", descriptor, TIOCLINUX, letter), "EPERM")
    refused("TIOCSETD on " + name, syscall("ioctl", descriptor, TIOCSETD, discipline), "EPERM")
    refused("TIOCSETD|1<<63 on " + name, syscall("ioctl", descriptor, TIOCSETD | 1 << 63, discipline), "EPERM")
held()
