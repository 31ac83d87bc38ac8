# case: 21
# title: around the masks of /proc
# tries: every covered file by /proc/self/root, /proc/thread-self/root, /proc/self/cwd/.., /dev/fd links, a directory descriptor; rename, link and unlink of it, mount over it
# expect: nothing to read, everything denied
# layers: proc
# safe: no, on a host without a sandbox it would rename and unlink
directory = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)
for name in ("kcore", "keys", "key-users", "kmsg", "kallsyms", "timer_list", "cmdline", "sysrq-trigger"):
    for path in ("/proc/" + name, "/proc/self/root/proc/" + name, "/proc/thread-self/root/proc/" + name, "/proc/self/../" + name,
                 "/proc/self/cwd/../proc/" + name, "/dev/fd/../../" + name, "/proc/self/fd/%d/%s" % (directory, name),
                 "/proc/./self/task/%d/root/proc/%s" % (os.getpid(), name)):
        text, error = attempt(read_text, path, 4096)
        if not error and text.strip("\0\n"):
            wrong("%s reads %.40r" % (path, text))
    for what, action in (("rename", lambda: os.rename("/proc/" + name, "/proc/escape")), ("unlink", lambda: os.unlink("/proc/" + name)),
                         ("link", lambda: os.link("/proc/" + name, "./escape_mask")),
                         ("mount over", lambda: syscall("mount", b"/etc/passwd", b"/proc/" + name.encode(), None, 4096, None))):
        refused("%s of /proc/%s" % (what, name), action)
held("all covered, on every way to them")
