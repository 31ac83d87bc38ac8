# case: 32
# title: the files of init
# tries: mem for reading and writing, root, cwd, exe, fd, maps, environ, ns, stack and syscall of process 1 and of the parent
# expect: EACCES, or the process is not there
# layers: proc
denied = ("EACCES", "EPERM", "ENOENT")
for name in ("mem", "maps", "environ", "auxv", "syscall", "stack", "pagemap", "io", "personality", "map_files", "smaps", "timers", "wchan"):
    path = "/proc/1/" + name
    if name == "map_files":
        refused("list " + path, lambda: os.listdir(path), *denied)
        continue
    text, error = attempt(read_text, path, 64)
    if name == "wchan" and not error:  # a number or a name of a kernel function: not memory
        continue
    refused("read " + path, (-1, error) if error else (text, ""), *denied)
refused("write /proc/1/mem", lambda: write_text("/proc/1/mem", "x", os.O_RDWR), *denied)
for name in ("root", "cwd", "exe", "ns/mnt", "ns/pid", "ns/user"):
    refused("readlink /proc/1/" + name, lambda: os.readlink("/proc/1/" + name), *denied)
    refused("open /proc/1/" + name, lambda: os.close(os.open("/proc/1/" + name, os.O_RDONLY)), *denied)
refused("list /proc/1/fd", lambda: os.listdir("/proc/1/fd"), *denied)
refused("open /proc/1/root/etc", lambda: os.close(os.open("/proc/1/root/etc", os.O_RDONLY)), *denied)
held()
