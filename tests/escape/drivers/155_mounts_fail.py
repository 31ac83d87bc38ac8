# case: 155
# title: a part of the mounts fails
# tries: servers in whose processes one mount call fails: mount, umount2, pivot_root, open_tree, move_mount, mount_setattr, fsopen,
#   fsconfig, fsmount, mkdirat, with EPERM, ENOSPC and (for the new calls) ENOSYS
# expect: no run, with the reason; or the documented other way, with all layers proven
# layers: -
import errno
import platform

from outside import DENY, started_by

CALLS = {"mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "open_tree": (428, 428), "move_mount": (429, 429),
         "mount_setattr": (442, 442), "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432), "symlinkat": (266, 36)}
LOOK = "cat /proc/self/mountinfo | cut -d' ' -f5,6; touch /usr/x /x /etc/x 2>/dev/null && echo WRITABLE; ls /root /home /var 2>/dev/null && echo HOST"


def run(env):
    column, seen = 0 if platform.machine() == "x86_64" else 1, []
    with started_by(env, DENY % ([(999, None)], errno.EPERM)):  # the way of denying does not stop a run by itself
        client = env.client()
    assert client.bash("echo ran")["stdout"] == "ran\n"
    client.server.stop()
    for name, numbers in CALLS.items():
        for error in (errno.EPERM, errno.ENOSPC, errno.ENOSYS):
            if error == errno.ENOSYS and numbers[0] < 400:
                continue
            with started_by(env, DENY % ([(numbers[column], None)], error)):
                client = env.client()
            result = client.bash(LOOK)
            client.server.stop()
            what = f"{name} {errno.errorcode[error]}"
            if result.get("refused"):
                assert result["code"] == "sandbox_unavailable" and len(result["error"]) > 30, result
                seen.append(what + " refused")
                continue
            if "WRITABLE" in result["stdout"] or "HOST" in result["stdout"] or result["exit_code"] not in (0, 1, 2):
                return "escaped", f"{what}: {result}"
            for line in result["stdout"].splitlines():
                if "nosuid" not in line:
                    return "escaped", f"{what}: a mount without nosuid: {line}"
            seen.append(what + " another way, all layers proven")
    return "held", "; ".join(seen)
