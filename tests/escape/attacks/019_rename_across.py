# case: 19
# title: rename across mounts
# tries: rename, link and RENAME_EXCHANGE between the workspace, /tmp and /dev/shm
# expect: EXDEV
# layers: mount_namespace
# safe: yes, in files of its own

if not os.access(".", os.W_OK):
    na("the working directory cannot be written")


def gone(path):
    attempt(os.unlink, path)


for target in ("/tmp", "/dev/shm"):
    with open("escape_move", "w") as file:
        file.write("x")
    with open(target + "/escape_other", "w") as file:
        file.write("y")
    refused("rename to " + target, lambda: os.rename("escape_move", target + "/escape_move"), "EXDEV")
    refused("exchange with " + target,
            syscall("renameat2", -100, b"escape_move", -100, (target + "/escape_other").encode(), 2), "EXDEV")
    refused("link to " + target, lambda: os.link("escape_move", target + "/escape_hard"), "EXDEV")
    for path in ("escape_move", target + "/escape_move", target + "/escape_other", target + "/escape_hard"):
        gone(path)
held()
