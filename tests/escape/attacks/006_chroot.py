# case: 6
# title: chroot
# tries: chroot to a directory and walk up, fchdir to a descriptor opened before; ../../.. from everywhere
# expect: chroot EPERM; above / is / again
# layers: seccomp capabilities
before = os.open("/", os.O_RDONLY | os.O_DIRECTORY)
refused("chroot /tmp", syscall("chroot", b"/tmp"), "EPERM")
refused("chroot .", syscall("chroot", b"."), "EPERM")
os.fchdir(before)
root = os.stat("/")
for start in (".", "/tmp", "/usr/lib", "/proc/self", "/dev/shm"):
    if not os.path.isdir(start):
        continue
    os.chdir(start)
    for _ in range(64):
        os.chdir("..")
    here = os.stat(".")
    if (here.st_dev, here.st_ino) != (root.st_dev, root.st_ino):
        wrong("64 times .. from %s is not /" % start)
    if sorted(os.listdir(".")) != sorted(os.listdir("/")):
        wrong("another listing above " + start)
held()
