# case: 127
# title: timers, queued signals, message queues
# tries: 10000 timers, 10000 queued signals, mq_open
# expect: EAGAIN at RLIMIT_SIGPENDING, below 5000; no message queue
# layers: -
# bound: timers<=10000
import signal
identifiers, error = [], ""
identifier = (ctypes.c_int * 1)()
while len(identifiers) < 10000:
    result, error = syscall("timer_create", 1, 0, identifier)
    if error:
        break
    identifiers.append(identifier[0])
for one in identifiers:
    syscall("timer_delete", one)
refused("%d timers" % len(identifiers), (-1 if error else 0, error), "EAGAIN")
if len(identifiers) >= 5000:
    wrong("%d timers" % len(identifiers))
number = signal.SIGRTMIN + 3
signal.pthread_sigmask(signal.SIG_BLOCK, [number])


class Info(ctypes.Structure):
    _fields_ = [("number", ctypes.c_int), ("error", ctypes.c_int), ("code", ctypes.c_int), ("rest", ctypes.c_int * 29)]


queued = 0
while queued < 10000:
    result, error = syscall("rt_sigqueueinfo", os.getpid(), number, Info(number, 0, -1))
    if error:
        break
    queued += 1
refused("%d queued signals" % queued, (-1 if error else 0, error), "EAGAIN")
if queued >= 5000:
    wrong("%d queued signals" % queued)
refused("mq_open", syscall("mq_open", b"escape127", os.O_CREAT | os.O_RDWR, 0o600, 0), "ENOSYS", "EMFILE", "EPERM", "ENOSPC")
held()
