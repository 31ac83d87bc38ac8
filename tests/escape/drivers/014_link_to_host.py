# case: 14
# title: links that lead out of the workspace
# tries: links to /etc/passwd, to a secret beside the workspace, relative, chained, to directories; every file tool through them
# expect: refused; nothing outside is read, made, changed or removed
# layers: -
import os

LINKS = """ln -s /etc/passwd passwd; ln -s {out}/secret.txt secret.txt; ln -s {out} dir; ln -s dir chain; ln -s ../../../../../../../{out} relative
mkdir real; ln -s {out} real/inner; ln -s /proc/self/root root; ln -s {out}/new.txt dangling; ln -s . here"""


def calls(out):
    for path in ("passwd", "secret.txt", "dir/secret.txt", "chain/secret.txt", "relative/secret.txt", "real/inner/secret.txt",
                 "root/etc/passwd", "here/dir/secret.txt", "../" * 12 + "etc/passwd"):
        yield "file_read", {"path": path}
        yield "file_write", {"path": path, "content": "OVERWRITTEN"}
        yield "file_write", {"path": path, "content": "APPENDED", "append": True}
    for path in ("dir", "chain", "relative", "real/inner", "root", "root/etc", "../../.."):
        yield "file_list", {"path": path, "recursive": True}
        yield "file_write", {"path": path + "/made.txt", "content": "x"}
        yield "file_delete", {"path": path + "/secret.txt"}
        yield "file_move", {"source": path + "/secret.txt", "destination": "stolen.txt"}
        yield "file_move", {"source": "real", "destination": path + "/real"}
    yield "file_write", {"path": "dangling", "content": "x"}
    yield "file_read", {"path": out + "/secret.txt"}  # absolute: means below the workspace


def run(env):
    out = env.outside()
    os.chmod(out, 0o777)
    secret = os.path.join(out, "secret.txt")
    with open(secret, "w", encoding="utf-8") as file:
        file.write("SECRET-of-the-host")
    os.chmod(secret, 0o666)
    env.bash(LINKS.format(out=out))
    assert os.path.islink(os.path.join(env.workspace, "dir"))
    done = 0
    for tool, arguments in calls(out):
        answer = env.common().call(tool, arguments)
        text = str(answer)
        if "SECRET-of" in text or "root:x:0" in text:
            return "escaped", f"{tool} {arguments}: {text[:200]}"
        assert answer.get("success") is not True, (tool, arguments, answer)
        done += 1
    with open(secret, encoding="utf-8") as file:
        left = file.read()
    if os.listdir(out) != ["secret.txt"] or left != "SECRET-of-the-host":
        return "escaped", f"outside there is now {os.listdir(out)}: {left}"
    result = env.common().call("file_delete", {"path": ".", "recursive": True})
    assert os.listdir(out) == ["secret.txt"], result
    env.common().call("file_delete", {"path": "real", "recursive": True})
    if os.listdir(out) != ["secret.txt"]:
        return "escaped", "a recursive delete followed a link"
    return "held", f"{done} calls refused; outside is unchanged"
