# case: 37
# title: a descriptor left open (runc, 2024)
# tries: fstat, fchdir and openat(fd, "..") for 0 to 1023
# expect: no directory, no socket and no file among them but 0, 1, 2 and the tool's own pipes
# layers: -
import stat

own = []
for number in range(0, 1024):
    info, error = attempt(os.fstat, number)
    if error:
        continue
    if stat.S_ISDIR(info.st_mode):
        wrong("descriptor %d is a directory: %s" % (number, attempt(os.readlink, "/proc/self/fd/%d" % number)[0]))
    if stat.S_ISSOCK(info.st_mode) and number > 2:  # the output may be one
        wrong("descriptor %d is a socket" % number)
    if not attempt(os.fchdir, number)[1]:
        wrong("fchdir(%d)" % number)
    if not attempt(os.open, "..", os.O_RDONLY, dir_fd=number)[1]:
        wrong("openat(%d, ..)" % number)
    own.append("%d %s" % (number, attempt(os.readlink, "/proc/self/fd/%d" % number)[0]))
held("open: " + ", ".join(own))
