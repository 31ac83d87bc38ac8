# case: 38
# title: oom_score_adj, back to what a user may have
# tries: lower the own value by one: the kernel lets a process go back to the least that an administrator gave it
# expect: EACCES: a payload dies before the server when memory is short
# layers: landlock
# safe: yes
now = int(read_text("/proc/self/oom_score_adj"))
if now <= 0:
    na("it is %d: nothing was raised" % now)
refused("oom_score_adj of self to %d" % (now - 1), lambda: write_text("/proc/self/oom_score_adj", str(now - 1)), "EACCES", "EPERM")
held()
