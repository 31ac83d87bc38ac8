# case: 168
# title: writable files of its own /proc
# tries: uid_map, gid_map, projid_map, setgroups, clear_refs, coredump_filter, timerslack_ns of init, mem of init, oom_adj, sched, autogroup, loginuid,
#   latency, attr/*, make-it-fail, comm of others, timens_offsets, fd of others, every file of /proc/sys
# expect: refused where it concerns others or more rights; what it may set is its own
# layers: -
# bound: none
# safe: no, writes to files of process 1
REFUSALS = ("EPERM", "EACCES", "ENOENT", "EROFS", "EINVAL", "ESRCH", "EIO")
for pid in ("self", "1", str(os.getppid())):
    for name, text in (("uid_map", "0 0 1"), ("gid_map", "0 0 1"), ("projid_map", "0 0 1"), ("setgroups", "allow"), ("oom_adj", "-17"),
                       ("oom_score_adj", "-1000"), ("timens_offsets", "monotonic 1 0"), ("make-it-fail", "1"), ("attr/current", "unconfined"),
                       ("attr/exec", "exec unconfined"), ("attr/apparmor/exec", "exec unconfined"), ("attr/fscreate", "x"), ("attr/sockcreate", "x")):
        refused("/proc/%s/%s" % (pid, name), lambda: write_text("/proc/%s/%s" % (pid, name), text), *REFUSALS)
for name in ("mem", "clear_refs", "comm", "timerslack_ns", "coredump_filter", "environ", "auxv", "maps", "stack", "syscall", "personality", "pagemap",
             "io", "root", "cwd", "exe", "ns/mnt", "ns/user", "map_files", "task/1/mem"):
    refused("/proc/1/%s" % name, lambda: os.open("/proc/1/" + name, os.O_RDWR if name in ("mem", "clear_refs", "comm") else os.O_RDONLY),
            *REFUSALS, "ELOOP", "EISDIR", "ENXIO")
opened = []
for place, names, files in os.walk("/proc/sys"):
    for name in files:
        path = os.path.join(place, name)
        try:
            os.close(os.open(path, os.O_WRONLY))
            opened.append(path)
        except OSError:
            pass
if opened:
    wrong("can be opened for writing: %s" % opened[:10])
held("nothing of init, of others or of /proc/sys")
