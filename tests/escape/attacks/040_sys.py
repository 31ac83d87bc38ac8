# case: 40
# title: /sys and cgroups
# tries: list /sys; open for writing release_agent, cgroup.procs, tasks and devices.allow in every place of a cgroup file system
# expect: ENOENT or EROFS
# layers: mount_namespace
# safe: yes, it opens and does not write
import glob

listing, error = attempt(os.listdir, "/sys")
if not error and listing:
    wrong("/sys holds %s" % listing[:5])
for root in ("/sys/fs/cgroup", "/sys/fs/cgroup/memory", "/sys/fs/cgroup/unified", "/cgroup", "/dev/cgroup"):
    for name in ("release_agent", "cgroup.procs", "tasks", "notify_on_release", "devices.allow", "memory.max"):
        refused("open %s/%s" % (root, name), lambda: os.close(os.open(root + "/" + name, os.O_WRONLY)), "ENOENT", "EROFS", "EACCES", "ENOTDIR")
for line in read_text("/proc/self/mountinfo").splitlines():
    kind = line.split(" - ")[1].split()[0]
    if kind in ("sysfs", "cgroup", "cgroup2", "debugfs", "tracefs", "securityfs", "bpf", "configfs", "efivarfs", "pstore", "fusectl"):
        wrong("a %s is mounted at %s" % (kind, line.split()[4]))
held("no sysfs and no cgroup file system; %d entries below /sys" % len(glob.glob("/sys/*")))
