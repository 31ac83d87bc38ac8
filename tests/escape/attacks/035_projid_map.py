# case: 35
# title: the map of project ids
# tries: write projid_map of this process: the kernel asks for no right
# expect: EACCES: a payload needs no project ids
# layers: landlock
refused("write /proc/self/projid_map", lambda: write_text("/proc/self/projid_map", "0 0 1\n"), "EPERM", "EACCES", "EROFS", "ENOENT")
held()
