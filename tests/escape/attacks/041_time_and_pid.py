# case: 41
# title: ns_last_pid and timens_offsets
# tries: choose the next pid; write clock offsets: what is there
# expect: EACCES (or absent)
# layers: proc landlock user_namespace
for path in ("/proc/sys/kernel/ns_last_pid", "/proc/self/timens_offsets", "/proc/sys/kernel/pid_max"):
    now, error = attempt(read_text, path)
    refused("write " + path, lambda: write_text(path, "0" if error or not now else now), "EACCES", "EROFS", "EPERM", "ENOENT")
held()
