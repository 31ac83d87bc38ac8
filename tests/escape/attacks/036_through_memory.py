# case: 36
# title: write to a file through memory
# tries: mmap the interpreter and the C library shared and writable; PROT_WRITE on a read-only shared mapping; write by /proc/self/mem into a private one
# expect: EACCES; a write through /proc/self/mem is denied or stays a private copy
# layers: -
import mmap

paths = sorted({line.split()[-1] for line in read_text("/proc/self/maps").splitlines() if line.split()[-1].startswith("/usr")})
for path in paths[:6]:
    descriptor = os.open(path, os.O_RDONLY)
    refused("map %s shared, writable" % path, lambda: mmap.mmap(descriptor, 4096, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE), "EACCES", "EPERM")
    address, error = syscall("mmap", None, 4096, mmap.PROT_READ, mmap.MAP_SHARED, descriptor, 0)
    if not error:
        refused("make the mapping of %s writable" % path, syscall("mprotect", address, 4096, 3), "EACCES", "EPERM")
    private, error = syscall("mmap", None, 4096, mmap.PROT_READ, mmap.MAP_PRIVATE, descriptor, 0)
    before = os.pread(descriptor, 16, 0)
    memory, error = attempt(os.open, "/proc/self/mem", os.O_RDWR)
    if not error:
        attempt(os.pwrite, memory, b"OVERWRITTEN_FILE", private)
        os.close(memory)
    if os.pread(descriptor, 16, 0) != before:
        wrong(path + " changed")
    os.close(descriptor)
held("%d files unchanged; /proc/self/mem for writing: %s" % (len(paths[:6]), error or "a private copy"))
