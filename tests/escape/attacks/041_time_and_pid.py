# case: 41
# title: ns_last_pid and timens_offsets
# tries: choose the next pid; write clock offsets
# expect: EACCES (or absent)
# layers: proc landlock user_namespace
for path, text in (("/proc/sys/kernel/ns_last_pid", "100"), ("/proc/self/timens_offsets", "monotonic 1000000 0"), ("/proc/sys/kernel/pid_max", "4194304")):
    refused("write " + path, lambda: write_text(path, text), "EACCES", "EROFS", "EPERM", "ENOENT")
held()
