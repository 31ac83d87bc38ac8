# case: 9
# title: a device node that is in the workspace already
# tries: the host puts nodes of null and mem into the workspace; the sandbox opens them; file_read opens them
# expect: EACCES (nodev); file_read refuses
# layers: mount_namespace
import os


def run(env):
    env.bash("true")
    for name, minor in (("node_null", 3), ("node_mem", 1)):
        path = os.path.join(env.workspace, name)
        try:
            os.mknod(path, 0o020666, os.makedev(1, minor))
            os.chmod(path, 0o666)
        except OSError as failure:
            return "na", f"the test cannot make a device node in the workspace: {failure.strerror}"
    result = env.bash("for n in node_null node_mem; do : < $n && echo OPENED $n; echo x > $n && echo WROTE $n; done; ls -l node_*")
    if "OPENED" in result["stdout"] or "WROTE" in result["stdout"]:
        return "escaped", result["stdout"]
    assert result["stderr"].count("Permission denied") == 4, result
    for name in ("node_null", "node_mem"):
        answer = env.common().call("file_read", {"path": name})
        assert answer["success"] is False and answer["error"], answer
    return "held", "both nodes: Permission denied, and no tool reads them"
