# case: 19
# title: .. while the directory moves
# tries: one process moves a directory up and down in the workspace, another walks up from inside it, for 2 s
# expect: never above the sandbox's root
# layers: mount_namespace
# bound: none, 2 s
import signal
import time

if not os.access(".", os.W_OK):
    na("the working directory cannot be written")
root = os.stat("/")
names = set(os.listdir("/"))
os.makedirs("escape_race/a/b/c/d", exist_ok=True)
base = os.getcwd()
mover = os.fork()
if mover == 0:
    while True:
        try:
            os.rename("escape_race/a/b/c", "escape_race/c")
            os.rename("escape_race/c", "escape_race/a/b/c")
        except OSError:
            pass
end = time.monotonic() + 2
walks = 0
while time.monotonic() < end:
    for start in ("escape_race/a/b/c/d", "escape_race/c/d"):
        try:
            os.chdir(base + "/" + start)
            up = os.open("../" * 40, os.O_RDONLY | os.O_DIRECTORY)
        except OSError:
            continue
        info = os.fstat(up)
        if (info.st_dev, info.st_ino) != (root.st_dev, root.st_ino) or set(os.listdir(up)) != names:
            wrong("40 times .. led to %s" % os.listdir(up)[:5])
        os.close(up)
        walks += 1
os.kill(mover, signal.SIGKILL)
os.waitpid(mover, 0)
os.chdir(base)
import shutil  # noqa: E402

shutil.rmtree("escape_race", ignore_errors=True)
held("%d walks ended at /" % walks)
