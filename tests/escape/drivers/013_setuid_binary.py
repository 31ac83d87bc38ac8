# case: 13
# title: a set-uid program in the workspace
# tries: the payload makes one for the host's users to run; the host places one of root, the payload runs it
# expect: the bit is absent; inside, nosuid and no_new_privs keep the uid
# layers: seccomp
import os
import shutil
import stat
import subprocess


def run(env):
    env.bash("cp /usr/bin/id trap; chmod 755 trap; chmod 4755 trap")
    trap = os.path.join(env.workspace, "trap")
    owner = os.stat(trap).st_uid
    if os.stat(trap).st_mode & stat.S_ISUID:
        return "escaped", "the set-uid bit is there on the host"
    ran = subprocess.run([trap, "-u"], capture_output=True, text=True, check=False)
    if ran.stdout.strip() not in (str(os.geteuid()), ""):
        return "escaped", f"run by uid {os.geteuid()} it is uid {ran.stdout.strip()}"
    if os.geteuid() == 0:
        placed = os.path.join(env.workspace, "placed")
        shutil.copy("/usr/bin/id", placed)
        os.chown(placed, 0, 0)
        os.chmod(placed, 0o4755)
        result = env.bash("./placed -u; ./placed -ru")
        if "0" in result["stdout"].split():
            return "escaped", f"root's set-uid program ran as root: {result['stdout']}"
    return "held", f"no bit on the host; the file belongs to uid {owner}"
