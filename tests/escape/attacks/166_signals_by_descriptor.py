# case: 166
# title: signals by way of descriptors
# tries: fcntl F_SETOWN to init, to -1 and to other processes with F_SETSIG SIGKILL and O_ASYNC; leases and F_NOTIFY on system files;
#   pidfd_open with thread and of init, pidfd_send_signal to it; PR_SET_PDEATHSIG; timers that signal others
# expect: EPERM, EINVAL or no effect: init lives
# layers: -
# bound: none
# safe: no, signals process 1
import fcntl
import signal
F_SETOWN_EX, F_SETSIG = 15, 10
reader, writer = os.pipe()
for target in (1, -1, os.getppid()):
    try:
        fcntl.fcntl(reader, fcntl.F_SETOWN, target)
        fcntl.fcntl(reader, F_SETSIG, signal.SIGCONT)
        fcntl.fcntl(reader, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
        os.write(writer, b"x")
    except OSError:
        pass
refused("a write lease on a system file", lambda: fcntl.fcntl(os.open("/bin/sh", os.O_RDONLY), fcntl.F_SETLEASE, fcntl.F_WRLCK), "EACCES", "EAGAIN", "EPERM",
        "EINVAL")
refused("a read lease on a system file", lambda: fcntl.fcntl(os.open("/bin/sh", os.O_RDONLY), fcntl.F_SETLEASE, fcntl.F_RDLCK), "EACCES", "EAGAIN", "EPERM",
        "EINVAL")
init, error = syscall("pidfd_open", 1, 0)
if not error:
    for number in (0, signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM):
        refused("pidfd_send_signal %d to init" % number, syscall("pidfd_send_signal", init, number, 0, 0), "EPERM")
    for flags in (1, 2, 4):
        refused("pidfd_send_signal to init's group, flags %d" % flags, syscall("pidfd_send_signal", init, signal.SIGKILL, 0, flags), "EPERM", "EINVAL", "ESRCH")


class Event(ctypes.Structure):
    _fields_ = [("value", ctypes.c_uint64), ("number", ctypes.c_int), ("notify", ctypes.c_int), ("thread", ctypes.c_int), ("rest", ctypes.c_int * 11)]


refused("a timer that signals init", syscall("timer_create", 1, Event(0, signal.SIGKILL, 4, 1), (ctypes.c_int * 1)()), "EINVAL", "EPERM")


class Info(ctypes.Structure):
    _fields_ = [("number", ctypes.c_int), ("error", ctypes.c_int), ("code", ctypes.c_int), ("rest", ctypes.c_int * 29)]


refused("a queued signal to init", syscall("rt_sigqueueinfo", 1, signal.SIGKILL, Info(9, 0, -1)), "EPERM")
refused("a forged kernel signal", syscall("rt_sigqueueinfo", 1, signal.SIGSEGV, Info(11, 0, 0x80)), "EPERM")
refused("a signal to init's thread", syscall("tgkill", 1, 1, signal.SIGKILL), "EPERM", "ESRCH")
held()
