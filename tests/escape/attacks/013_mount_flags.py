# case: 13
# title: flags of the mounts
# tries: look in mountinfo for a mount where set-id bits count, where device nodes can be opened, and for writable ones beside the payload's own
# expect: nosuid everywhere; nodev everywhere but on the five devices and the masks; writable: the workspace, /tmp, /dev/shm
# layers: mount_namespace
lines = read_text("/proc/self/mountinfo").splitlines()
for line in lines:
    fields = line.split()
    point, flags, root, kind = fields[4], fields[5].split(","), fields[3], line.split(" - ")[1].split()[0]
    device = point.startswith("/dev/") and root.strip("/").split("/")[-1] in ("null", "zero", "full", "random", "urandom")
    mask = point.startswith("/proc/") and root.strip("/").split("/")[-1] == "null"
    if "nosuid" not in flags:
        wrong("set-id bits count on " + point)
    if "nodev" not in flags and not device and not mask:
        wrong("device nodes can be opened on " + point)
    if "rw" in flags and not device and not mask and not point.startswith(("/workspace", "/tmp", "/dev/shm")) and kind != "proc":
        wrong("%s is writable" % point)
held("%d mounts" % len(lines))
