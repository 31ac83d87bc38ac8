# case: 2
# title: metadata of system files
# tries: chmod, utime, chown and extended attributes of /etc/passwd, /etc/group, /usr/bin/env, /: to what they are
# expect: EROFS, EACCES or EPERM
# layers: read_only_root
# safe: yes, it sets what is there
for path in ("/etc/passwd", "/etc/group", "/usr/bin/env", "/etc", "/"):
    info = os.stat(path)
    refused("utime " + path, lambda: os.utime(path, ns=(info.st_atime_ns, info.st_mtime_ns)), "EROFS", "EACCES", "EPERM")
    refused("chmod " + path, lambda: os.chmod(path, info.st_mode & 0o777), "EROFS", "EACCES", "EPERM")
    refused("chown " + path, lambda: os.chown(path, info.st_uid, info.st_gid), "EROFS", "EACCES", "EPERM", "EINVAL")
    refused("setxattr " + path, lambda: os.setxattr(path, "user.escape", b""), "EROFS", "EACCES", "EPERM", "EOPNOTSUPP")
held()
