# case: 38
# title: oom_score_adj
# tries: lower the own value to -1000; open that of init for writing; raise the own
# expect: lowering EACCES; raising is allowed
# layers: capabilities landlock
# safe: yes
now = int(read_text("/proc/self/oom_score_adj"))
for process, value in (("self", -1000), ("self", -1)):
    refused("oom_score_adj of %s to %d" % (process, value), lambda: write_text("/proc/%s/oom_score_adj" % process, str(value)),
            "EACCES", "EPERM", "ENOENT")
attempt(write_text, "/proc/self/oom_score_adj", str(now))
refused("open oom_score_adj of init", lambda: os.close(os.open("/proc/1/oom_score_adj", os.O_WRONLY)), "EACCES", "EPERM", "ENOENT")
_, error = attempt(write_text, "/proc/self/oom_score_adj", str(min(1000, now + 1)))
held("it is %d; raising it: %s" % (now, error or "allowed"))
