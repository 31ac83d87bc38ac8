# case: 33
# title: the command line of init
# tries: read /proc/1/cmdline, comm and status
# expect: no path of the host and no secret, or not there
# layers: proc
import re

for name in ("cmdline", "comm", "status", "stat", "cgroup", "mountinfo", "environ"):
    text, error = attempt(read_text, "/proc/1/" + name)
    if error:
        refused("read /proc/1/" + name, (-1, error), "EACCES", "EPERM", "ENOENT", "ESRCH")
    elif re.search(r"/(home|root|var|tmp|opt|srv)/|CANARY|token", text):
        wrong("/proc/1/%s tells %.100r" % (name, text))
held()
