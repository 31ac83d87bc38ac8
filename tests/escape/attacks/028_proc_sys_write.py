# case: 28
# title: write to /proc/sys
# tries: core_pattern, modprobe, hotplug, drop_caches, max_user_namespaces, ip_forward, hostname, threads-max, unprivileged knobs: the value that is there
# expect: EACCES or EROFS
# layers: proc landlock user_namespace
# safe: yes, it writes the value that is there
for name in ("kernel/core_pattern", "kernel/modprobe", "kernel/hotplug", "vm/drop_caches", "user/max_user_namespaces", "kernel/hostname",
             "kernel/threads-max", "kernel/sysrq", "kernel/randomize_va_space", "net/ipv4/ip_forward", "net/ipv4/ip_unprivileged_port_start",
             "net/ipv4/ping_group_range", "kernel/shmmax", "kernel/msgmax", "fs/mqueue/msg_max", "fs/binfmt_misc/register",
             "fs/suid_dumpable", "kernel/yama/ptrace_scope", "kernel/keys/maxkeys", "kernel/unprivileged_bpf_disabled"):
    path = "/proc/sys/" + name
    now, error = attempt(read_text, path)
    refused("write " + path, lambda: write_text(path, "0" if error or not now else now), "EACCES", "EROFS", "EPERM", "ENOENT")
held()
