# case: 51
# title: the owner of new files
# tries: bash, Python and file_write make files and directories
# expect: on the host they belong to the owner of the workspace; inside, to the payload
# layers: -
import os


def run(env):
    env.bash("touch by_bash; mkdir dir_by_bash")
    env.python("open('by_python', 'w').close()")
    env.common().call("file_write", {"path": "by_tool.txt", "content": "x"})
    expected = os.stat(env.workspace).st_uid, os.stat(env.workspace).st_gid
    for name in ("by_bash", "dir_by_bash", "by_python", "by_tool.txt"):
        info = os.lstat(os.path.join(env.workspace, name))
        if (info.st_uid, info.st_gid) != expected:
            return "escaped", f"{name} belongs to {info.st_uid}:{info.st_gid}, the workspace to {expected[0]}:{expected[1]}"
    if expected[0] == 0:
        return "escaped", "the workspace's files belong to root"
    inside = env.bash("stat -c %U by_bash by_python by_tool.txt | sort -u; echo more >> by_tool.txt && echo writable")
    assert inside["stdout"] == "sandbox\nwritable\n", inside
    return "held", f"all belong to uid {expected[0]}"
