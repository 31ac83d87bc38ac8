# case: 22
# title: a path that is absent at the start is made by the payload
# tries: make /etc/shadow, /root, /home, /sys, /run, /var and /proc entries that a list of denied paths would name, in every way
# expect: refused, and still absent
# layers: read_only_root landlock
# safe: no, on a host without a sandbox it would make them
for path in ("/root", "/home", "/sys", "/run", "/var", "/boot", "/etc/shadow", "/etc/container-mcp", "/proc/kcore2", "/oldroot"):
    if os.path.lexists(path):
        wrong(path + " is there")
        continue
    refused("mkdir " + path, lambda: os.mkdir(path), "EROFS", "EACCES", "EPERM", "ENOENT")
    refused("create " + path, lambda: os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600)), "EROFS", "EACCES", "EPERM", "ENOENT")
    refused("symlink " + path, lambda: os.symlink("/tmp", path), "EROFS", "EACCES", "EPERM", "ENOENT")
    refused("rename to " + path, lambda: os.rename("/etc", path), "EROFS", "EACCES", "EPERM", "ENOENT", "EXDEV", "EBUSY")
    if os.path.lexists(path):
        wrong(path + " exists now")
held()
