# case: 12
# title: the workspace as the host sees it, after every attempt at set-id bits
# tries: the attacks of case 12, then a walk over the workspace from outside
# expect: no file with a set-id bit, none with file capabilities
# layers: seccomp
import os

ATTEMPTS = """cp /bin/sh s; chmod 4755 s; chmod u+s,g+s s; mkdir -m 2777 d; chmod g+s d; install -m 6755 /bin/sh i
python3 -c "
import os
for mode in (0o4755, 0o2755, 0o6755):
    try: os.close(os.open('m%o' % mode, os.O_CREAT | os.O_WRONLY, mode))
    except OSError: pass
    try: os.mkdir('n%o' % mode, mode)
    except OSError: pass
"
touch kept; ls -la"""


def run(env):
    env.bash(ATTEMPTS)
    seen = 0
    for directory, names, files in os.walk(env.workspace):
        for name in names + files:
            path = os.path.join(directory, name)
            seen += 1
            if os.lstat(path).st_mode & 0o6000:
                return "escaped", f"{name} has mode {os.lstat(path).st_mode:o}"
            try:
                os.getxattr(path, "security.capability")
                return "escaped", f"{name} has file capabilities"
            except OSError:
                pass
    assert seen >= 3, os.listdir(env.workspace)
    return "held", f"{seen} entries, none with a set-id bit"
