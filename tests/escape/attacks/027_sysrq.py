# case: 27
# title: /proc/sysrq-trigger
# tries: write "h" (help: the one key that harms nothing)
# expect: ENOENT, EROFS or EACCES, or the null device stands there
# layers: proc landlock user_namespace
# safe: yes, h only prints a help line
info, error = attempt(os.stat, "/proc/sysrq-trigger")
if error:
    refused("stat", (-1, error), "ENOENT", "EACCES")
elif info.st_rdev == os.makedev(1, 3):
    held("the null device covers it")
else:
    refused("write /proc/sysrq-trigger", lambda: write_text("/proc/sysrq-trigger", "h"), "EROFS", "EACCES", "EPERM")
held()
