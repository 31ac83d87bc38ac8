# case: 46
# title: set-id programs of the system
# tries: execute every set-uid and set-gid program in /usr and look at the ids that it runs with
# expect: the ids stay
# layers: no_new_privs user_namespace mount_namespace
# safe: yes, each reads an empty input
import glob
import stat

own = os.getuid(), os.getgid()
seen, hidden = [], []
for path in glob.glob("/usr/bin/*") + glob.glob("/usr/sbin/*") + glob.glob("/usr/lib/*/*helper*"):
    mode = attempt(os.lstat, path)[0]
    if isinstance(mode, int) or not stat.S_ISREG(mode.st_mode) or not mode.st_mode & 0o6000:
        continue
    read, write = os.pipe()
    null = os.open("/dev/null", os.O_RDWR)
    child = os.fork()
    if child == 0:
        try:
            os.setsid()
            for number in (0, 1, 2):
                os.dup2(null, number)
            os.execv(path, [path, "--version"])
        except OSError:
            os._exit(126)
    os.close(write)
    # Ended but not yet waited for: a zombie still tells the ids it had.
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    status, error = attempt(read_text, "/proc/%d/status" % child)
    os.waitpid(child, 0)
    os.close(read)
    if error:  # a program that its user cannot read is not his to look at
        hidden.append(os.path.basename(path))
        continue
    fields = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    if set(fields["Uid"].split()) != {str(own[0])} or set(fields["Gid"].split()) != {str(own[1])}:
        wrong("%s ran with uids %s and gids %s" % (path, fields["Uid"].split(), fields["Gid"].split()))
    seen.append(os.path.basename(path))
if not seen:
    na("no set-id program can be found in /usr")
held("ids stay in %s; not to be looked at: %s" % (" ".join(sorted(seen)), " ".join(sorted(hidden)) or "none"))
