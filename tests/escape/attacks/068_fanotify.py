# case: 68
# title: fanotify
# tries: fanotify_init as listener of its own files, as listener that decides, and fanotify_mark
# expect: EPERM
# layers: seccomp
# bound: none
REPORT_FID, CLASS_CONTENT = 0x200, 0x4
refused("fanotify_init, FID", syscall("fanotify_init", REPORT_FID, 0), "EPERM")
refused("fanotify_init, deciding", syscall("fanotify_init", CLASS_CONTENT, 0), "EPERM")
refused("fanotify_mark", syscall("fanotify_mark", 0, 1, 2, -100, b"/usr"), "EPERM")
held()
