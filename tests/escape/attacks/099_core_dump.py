# case: 99
# title: a core dump
# tries: SIGSEGV, SIGQUIT and SIGABRT of a child, after raising RLIMIT_CORE as far as it goes
# expect: no core: neither a file nor one that the kernel hands to a program of the host
# layers: -
# bound: none
import resource
import signal
before = set(os.listdir("."))
try:
    resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    wrong("RLIMIT_CORE was raised")
except (ValueError, OSError):
    pass
soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
if hard > 1:
    wrong("RLIMIT_CORE is %s" % hard)
for number in (signal.SIGSEGV, signal.SIGQUIT, signal.SIGABRT):
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    if not os.WIFSIGNALED(status):
        wrong("signal %d did not end the child: %d" % (number, status))
    if os.WCOREDUMP(status):
        wrong("signal %d left a core" % number)
if set(os.listdir(".")) - before:
    wrong("files appeared: %s" % (set(os.listdir(".")) - before))
held("three deaths without a core; RLIMIT_CORE %d" % hard)
