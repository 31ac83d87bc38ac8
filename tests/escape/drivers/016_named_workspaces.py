# case: 16
# title: the place of a named workspace is swapped for a link
# tries: somebody who may write the first workspace replaces the directory where a second workspace is mounted by a link to /etc, /tmp, the host's directory, or a file; the next runs start
# expect: the run is refused, or the place is made anew; nothing is mounted elsewhere, nothing outside changes
# layers: -
import os


def run(env):
    out, second = env.outside(), env.outside()
    os.chmod(out, 0o777)
    if os.geteuid() == 0:
        # As whom runs work where nothing is idmapped, the owner decides; the modes let any other start use it.
        env.bash("true")
        owner = os.stat(env.workspace).st_uid
        os.chown(second, owner, owner)
        os.chmod(second, 0o777)
    with open(os.path.join(second, "here.txt"), "w", encoding="utf-8") as file:
        file.write("second")
    client = env.client(args=["--workspace", f"named={second}:ro"])
    first = client.bash("pwd; ls -d /workspace/*; cat /workspace/named/here.txt")
    if first.get("refused") or "second" not in first["stdout"]:
        return "na", f"a second workspace cannot be served here: {first.get('error') or first.get('stderr')}"
    told = []
    for target in ("/etc", "/tmp", out, "../..", "/proc/self/root"):
        # As a run of another server that has this workspace could: there, the place is a plain directory.
        place = os.path.join(client.server.workspace, "named")
        if os.path.islink(place):
            os.unlink(place)
        elif os.path.isdir(place):
            os.rename(place, place + ".old" + str(len(told)))
        os.symlink(target, place)
        result = client.bash("cat /workspace/named/here.txt; mount 2>/dev/null; cat /proc/self/mountinfo; touch /workspace/named/made; true")
        text = result.get("stdout", "")
        points = [line.split()[4] for line in text.splitlines() if " - " in line]
        if any(point not in ("/workspace", "/workspace/named") and point.startswith(("/workspace", out)) for point in points):
            return "escaped", f"{target}: mounted at {points}"
        if points.count("/etc") or points.count("/tmp") > 1:
            return "escaped", f"{target}: mounted over {points}"
        told.append("refused" if result.get("refused") else "ran")
    if os.listdir(out) or sorted(os.listdir(second)) != ["here.txt"]:
        return "escaped", f"outside: {os.listdir(out)}, {os.listdir(second)}"
    return "held", f"5 links: {', '.join(told)}"
