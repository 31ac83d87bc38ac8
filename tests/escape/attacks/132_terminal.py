# case: 132
# title: a controlling terminal
# tries: /dev/tty, /dev/console, /dev/pts/0, /dev/ptmx, TIOCSCTTY, tcsetpgrp, TIOCSTI on whatever is there
# expect: ENOENT or ENXIO; EPERM for TIOCSTI
# layers: -
# bound: none
import fcntl
import termios
for path in ("/dev/tty", "/dev/console", "/dev/tty0", "/dev/tty1", "/dev/pts/0", "/dev/ptmx", "/dev/pts/ptmx", "/dev/hvc0", "/dev/ttyS0",
             "/dev/vcs"):
    refused(path, lambda: os.open(path, os.O_RDWR | os.O_NOCTTY), "ENOENT", "ENXIO", "EACCES")
for descriptor in (0, 1, 2):
    if os.isatty(descriptor):
        wrong("descriptor %d is a terminal" % descriptor)
    refused("TIOCSCTTY on %d" % descriptor, lambda: fcntl.ioctl(descriptor, termios.TIOCSCTTY, 1), "ENOTTY", "EPERM", "EACCES", "EINVAL")
    refused("TIOCSTI on %d" % descriptor, lambda: fcntl.ioctl(descriptor, termios.TIOCSTI, b"x"), "EPERM")
    refused("tcsetpgrp on %d" % descriptor, lambda: os.tcsetpgrp(descriptor, os.getpgrp()), "ENOTTY", "EPERM")
with open("/proc/self/stat") as file:
    terminal = int(file.read().rsplit(")", 1)[1].split()[4])
if terminal:
    wrong("the controlling terminal is %d" % terminal)
held()
