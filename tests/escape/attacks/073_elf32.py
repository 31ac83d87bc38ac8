# case: 73
# title: a 32-bit program
# tries: executing a 32-bit ELF file made by hand, which writes to its output
# expect: SIGSYS kills it, or the kernel does not load it
# layers: seccomp
# bound: bytes<=1K
import struct
if platform.machine() != "x86_64":
    na("another architecture")
BASE = 0x10000
code = (b"\xb8\x04\x00\x00\x00\xbb\x01\x00\x00\x00\xb9" + struct.pack("<I", BASE + 0x200) + b"\xba\x04\x00\x00\x00\xcd\x80"
        b"\xb8\x01\x00\x00\x00\x31\xdb\xcd\x80")  # write(1, "RAN\n", 4); exit(0)
header = b"\x7fELF\x01\x01\x01" + bytes(9) + struct.pack("<HHIIIIIHHHHHH", 2, 3, 1, BASE + 0x100, 52, 0, 0, 52, 32, 1, 0, 0, 0)
segment = struct.pack("<IIIIIIII", 1, 0, BASE, BASE, 0x204, 0x204, 5, 0x1000)
image = (header + segment).ljust(0x100, b"\0") + code
image = image.ljust(0x200, b"\0") + b"RAN\n"
name = os.path.join(os.environ.get("TMPDIR", "/tmp"), "elf32.%d" % os.getpid())
descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o700)
os.write(descriptor, image)
os.close(descriptor)
reader, writer = os.pipe()


def start():
    os.dup2(writer, 1)
    os.execv(name, [name])


end = in_child(start)
os.close(writer)
said = os.read(reader, 100)
os.unlink(name)
if said or end == 0:
    escaped("a 32-bit program ran: %r, end %s" % (said, end))
if end == -8:
    na("this kernel loads no 32-bit programs (ENOEXEC)")
if end not in (31, -13):
    escaped("a 32-bit program ended otherwise than by SIGSYS: %s" % end)
held("killed by SIGSYS" if end == 31 else "not executable: EACCES")
