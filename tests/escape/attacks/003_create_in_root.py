# case: 3
# title: new entries in / and /dev
# tries: create /x, mkdir /y, a link and a device's place in /dev, remove what is there
# expect: EROFS
# layers: read_only_root landlock
# safe: yes, what could be made is removed at once
denied = ("EROFS", "EACCES", "EPERM")


def create(path):
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    os.unlink(path)


for directory in ("/", "/dev/", "/proc/"):
    refused("create %sescape_x" % directory, lambda: create(directory + "escape_x"), "ENOENT", *denied)
    refused("mkdir %sescape_y" % directory, lambda: (os.mkdir(directory + "escape_y"), os.rmdir(directory + "escape_y")), "ENOENT", *denied)
    refused("symlink %sescape_z" % directory, lambda: (os.symlink("/", directory + "escape_z"), os.unlink(directory + "escape_z")), "ENOENT", *denied)
refused("rename /dev/fd", lambda: (os.rename("/dev/fd", "/dev/escape_fd"), os.rename("/dev/escape_fd", "/dev/fd")), *denied)
held()
