# case: 15
# title: links swapped in while the file tools work
# tries: six shell loops exchange directories and links to the outside, while every file tool works on them (5 s; 20 s with --long)
# expect: 0 reads and 0 writes outside
# layers: -
# timeout: 120
import os
import time

LOOP = """n={n}; mkdir -p r$n/x; echo inside > r$n/x/f.txt; ln -sfn {out} r$n/l; touch ready$n
while [ ! -e stop ]; do
  mv -T r$n/x r$n/y 2>/dev/null; mv -T r$n/l r$n/x 2>/dev/null; mv -T r$n/x r$n/l 2>/dev/null; mv -T r$n/y r$n/x 2>/dev/null
done"""
EXCHANGE = """import ctypes, os
libc = ctypes.CDLL(None)
os.makedirs('r9/x', exist_ok=True); open('r9/x/f.txt', 'w').write('inside')
if not os.path.islink('r9/l'): os.symlink({out!r}, 'r9/l')
open('ready9', 'w').close()
while not os.path.exists('stop'):
    for _ in range(200): libc.renameat2(-100, b'r9/x', -100, b'r9/l', 2)"""


def calls(number):
    base = f"r{number}"
    yield "file_read", {"path": base + "/x/f.txt"}
    yield "file_write", {"path": base + "/x/f.txt", "content": "OVER"}
    yield "file_write", {"path": base + "/x/new.txt", "content": "NEW"}
    yield "file_write", {"path": base + "/x/f.txt", "content": "APPEND", "append": True}
    yield "file_list", {"path": base + "/x", "recursive": True}
    yield "file_list", {"path": base, "recursive": True}
    yield "file_move", {"source": base + "/x/f.txt", "destination": f"taken{number}.txt", "overwrite": True}
    yield "file_move", {"source": f"taken{number}.txt", "destination": base + "/x/moved.txt", "overwrite": True}
    yield "file_delete", {"path": base + "/x/outside-only.txt"}
    yield "file_delete", {"path": base + "/x/deep", "recursive": True}


def state(out):
    found = []
    for directory, names, files in os.walk(out):
        for name in names + files:
            path = os.path.join(directory, name)
            info = os.lstat(path)
            found.append((os.path.relpath(path, out), info.st_mode, info.st_size, info.st_mtime_ns))
    return sorted(found)


def fill(out):
    os.makedirs(os.path.join(out, "deep/er"))
    for name in ("f.txt", "outside-only.txt", "deep/er/g.txt"):
        with open(os.path.join(out, name), "w", encoding="utf-8") as file:
            file.write("SECRET-of-the-host")
    for directory, names, files in os.walk(out):
        for name in [directory] + [os.path.join(directory, name) for name in names + files]:
            os.chmod(name, 0o777)


def run(env):
    out = env.outside()
    fill(out)
    before = state(out)
    client = env.client(settings={"SANDBOX_MAX_RUNS": "16"})
    seconds = 20 if env.long else 5
    loops = [client.start_call("system_run_command", {"command": LOOP.format(n=n, out=out), "timeout": 100}) for n in range(6)]
    loops.append(client.start_call("system_run_python", {"code": EXCHANGE.format(out=out), "timeout": 100}))
    workspace = client.server.workspace
    patience = time.monotonic() + 60
    while not all(os.path.exists(os.path.join(workspace, f"ready{n}")) for n in (0, 1, 2, 3, 4, 5, 9)):
        assert time.monotonic() < patience, "the loops did not begin"
        time.sleep(0.05)
    end = time.monotonic() + seconds
    done, refused = 0, 0
    while time.monotonic() < end:
        for number in (0, 9, 1, 9, 2, 9, 3, 4, 5):
            for tool, arguments in calls(number):
                answer = client.call(tool, arguments)
                done += 1
                refused += answer.get("success") is not True
                if "SECRET" in str(answer) or "outside-only" in str(answer.get("entries", answer.get("items", answer.get("files", "")))):
                    return "escaped", f"{tool} {arguments}: {str(answer)[:200]}"
    with open(os.path.join(workspace, "stop"), "w", encoding="utf-8"):
        pass
    for loop in loops:
        client.wait(loop)
    if state(out) != before:
        return "escaped", f"outside changed: {set(state(out)) ^ set(before)}"
    assert refused and refused < done, (done, refused)  # both sides of the swap were met
    return "held", f"{done} calls in {seconds} s, {refused} refused; outside is unchanged"
