# case: 2
# title: write to the system
# tries: open for writing, create, link in /usr, /bin, /lib and /etc
# expect: EROFS or EACCES
# layers: read_only_root landlock
# safe: yes, a file that could be made is removed at once
denied = ("EROFS", "EACCES", "EPERM")


def create(path):
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    os.unlink(path)


for directory in ("/usr", "/usr/bin", "/usr/lib", "/bin", "/lib", "/sbin", "/etc"):
    refused("create in " + directory, lambda: create(directory + "/escape_marker"), *denied)
    refused("mkdir in " + directory, lambda: (os.mkdir(directory + "/escape_dir"), os.rmdir(directory + "/escape_dir")), *denied)
for path in ("/etc/passwd", "/etc/group", "/etc/ld.so.cache", "/usr/bin/env", "/bin/sh"):
    refused("open %s for writing" % path, lambda: os.close(os.open(path, os.O_WRONLY)), "ETXTBSY", *denied)
refused("link beside /usr/bin/env", lambda: (os.link("/usr/bin/env", "/usr/bin/escape_link"), os.unlink("/usr/bin/escape_link")),
        "EXDEV", *denied)
held()
