# case: 16
# title: links left in the workspace for the mount points of the next run
# tries: links named as everything that a start could make or mount: to a directory of the host and to /oldroot, /newroot
# expect: the next runs make nothing on the host
# layers: -
import os

NAMES = ("link", "tmp", "proc", "dev", "usr", "etc", "oldroot", "newroot", "workspace", "home", "run", ".cache", ".config", "..data")


def run(env):
    out = env.outside()
    os.chmod(out, 0o777)
    script = "\n".join(f"ln -s {out} {name}; ln -s /oldroot/{out} {name}/x 2>/dev/null; ln -s /oldroot{out}/made old_{name}" for name in NAMES)
    env.bash(script)
    before = sorted(os.listdir("/")), sorted(os.listdir(out))
    assert os.path.islink(os.path.join(env.workspace, "tmp"))
    for _ in range(3):
        result = env.bash("echo ran; touch old_link link/in 2>&1")
        assert "ran" in result["stdout"], result
        assert env.python("print(1)")["success"]
    # The same by a server that starts on this workspace.
    second = env.client(workspace=env.workspace) if env.common().server.uid is None else env.common()
    assert second.bash("echo ran")["stdout"] == "ran\n"
    after = sorted(os.listdir("/")), sorted(os.listdir(out))
    if after != before:
        return "escaped", f"the host has now {set(after[0] + after[1]) ^ set(before[0] + before[1])}"
    return "held", f"{len(NAMES)} links, 4 starts: nothing made on the host"
