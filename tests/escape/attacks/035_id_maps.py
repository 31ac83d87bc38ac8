# case: 35
# title: id maps
# tries: write uid_map, gid_map and setgroups of this process and of init
# expect: EPERM on the write
# layers: proc landlock user_namespace
for process in ("self", "1"):
    for name, text in (("uid_map", "0 0 1\n"), ("gid_map", "0 0 1\n"), ("setgroups", "allow")):
        path = "/proc/%s/%s" % (process, name)
        refused("write " + path, lambda: write_text(path, text), "EPERM", "EACCES", "EROFS", "ENOENT")
held()
