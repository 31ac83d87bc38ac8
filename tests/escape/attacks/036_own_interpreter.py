# case: 36
# title: overwrite the program that runs (runc, 2019)
# tries: open for writing and truncate /proc/self/exe, /proc/1/exe, the interpreter's file and the dynamic loader, while they run and after exec
# expect: ETXTBSY, EACCES or EROFS
# layers: read_only_root landlock
# safe: yes, it opens and does not write
denied = ("ETXTBSY", "EACCES", "EROFS", "EPERM", "ENOENT")
loaders = [line.split()[-1] for line in read_text("/proc/self/maps").splitlines() if "/" in line and ".so" in line]
for path in ["/proc/self/exe", "/proc/1/exe", os.path.realpath(sys.executable or "/usr/bin/python3"), os.path.realpath("/bin/sh")] + sorted(set(loaders)):
    for flags, name in ((os.O_WRONLY, "write"), (os.O_RDWR, "read and write")):
        refused("open %s to %s" % (path, name), lambda: os.close(os.open(path, flags)), *denied)
descriptor, error = attempt(os.open, "/proc/self/exe", os.O_RDONLY | getattr(os, "O_PATH", 0))
if not error:
    refused("reopen the interpreter by descriptor", lambda: os.close(os.open("/proc/self/fd/%d" % descriptor, os.O_RDWR)), *denied)
held()
