# case: 59
# title: userfaultfd
# tries: userfaultfd for user and kernel faults, for user faults only, and its device
# expect: EPERM; the device is not there
# layers: seccomp
# bound: none
USER_MODE_ONLY = 1
refused("user and kernel faults", syscall("userfaultfd", os.O_NONBLOCK), "EPERM")
refused("user faults only", syscall("userfaultfd", os.O_NONBLOCK | USER_MODE_ONLY), "EPERM")
refused("/dev/userfaultfd", lambda: os.open("/dev/userfaultfd", os.O_RDWR), "ENOENT")
held()
