# case: 11
# title: what /dev holds
# tries: list /dev and compare every device number
# expect: exactly null zero full random urandom fd stdin stdout stderr shm (tty and ptmx only on request)
# layers: mount_namespace
import stat

devices = {"null": (1, 3), "zero": (1, 5), "full": (1, 7), "random": (1, 8), "urandom": (1, 9)}
links = {"fd", "stdin", "stdout", "stderr"}
for name in os.listdir("/dev"):
    info = os.lstat("/dev/" + name)
    if name in devices:
        if not stat.S_ISCHR(info.st_mode) or (os.major(info.st_rdev), os.minor(info.st_rdev)) != devices[name]:
            wrong("/dev/%s is not the device of that name" % name)
    elif name in links:
        if not os.readlink("/dev/" + name).startswith("/proc/self/fd"):
            wrong("/dev/%s leads to %s" % (name, os.readlink("/dev/" + name)))
    elif name != "shm":
        wrong("/dev/%s is there" % name)
missing = (set(devices) | links | {"shm"}) - set(os.listdir("/dev"))
if missing:
    note("unexpected: missing in /dev: %s" % sorted(missing))
held("null zero full random urandom fd stdin stdout stderr shm")
