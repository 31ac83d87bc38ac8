# case: 17
# title: the workspace is replaced by a link between two runs
# tries: the host's user renames it away and puts a link to another directory there; then a link in a directory above
# expect: never the link's target. The server holds the directory open since its start: runs go on in it, wherever it is moved,
#   where a server that looked the path up anew would have to refuse
# layers: -
import os


def run(env):
    out = env.outside()
    os.chmod(out, 0o777)
    with open(os.path.join(out, "secret.txt"), "w", encoding="utf-8") as file:
        file.write("SECRET")
    env.bash("echo first > kept.txt")
    kept = env.workspace + ".kept"
    os.rename(env.workspace, kept)
    os.symlink(out, env.workspace)
    told = []
    for answer in (env.bash("cat secret.txt kept.txt; touch made.txt; ls -a"), env.python("import os\nprint(os.listdir())\nopen('made2.txt', 'w')"),
                   env.common().call("file_read", {"path": "secret.txt"}), env.common().call("file_write", {"path": "made3.txt", "content": "x"})):
        if "SECRET" in str(answer):
            return "escaped", f"read through the link: {str(answer)[:200]}"
        told.append("refused" if answer.get("refused") else "ran" if answer.get("success") else "failed")
    if os.listdir(out) != ["secret.txt"]:
        return "escaped", f"the link's target holds {os.listdir(out)}"
    # Servers that start now find a link where the workspace should be: named by its holder, it may be followed, or refused.
    os.unlink(env.workspace)
    os.rename(kept, env.workspace)
    assert env.bash("cat kept.txt")["stdout"] == "first\n"
    return "held", f"bash, python, file_read, file_write: {', '.join(told)}; the target is untouched"
