# case: 123
# title: filling the disk through the workspace
# tries: with a quota of 64 MB: writing past it from both tools, in one file and in many
# expect: ended near the quota, told as `limit: disk`; one file is refused at its size
# layers: -
# settings: WORKSPACE_QUOTA_MB=64
import os

from outside import BOTH, run_program

WAYS = {"one file": "open('fill-%s' % name, 'wb', 0)", "many files": "open('fill-%s-%d' % (name, done), 'wb', 0)"}
CODE = """name, done = %(tool)r, 0
try:
    while done < 160 << 20:
        one = %(way)s if done == 0 or 'done' in %(way)r else one
        one.write(b'x' * (1 << 20))
        done += 1 << 20
except OSError as failure:
    print('refused after', done >> 20, failure.strerror)
    raise SystemExit(3)
import time
time.sleep(20)
print('ALL OF IT')
"""


def clear(path):
    for name in os.listdir(path):
        if name.startswith("fill-"):
            os.unlink(os.path.join(path, name))


def run(env):
    seen = []
    for name, way in WAYS.items():
        for tool in BOTH:
            result = run_program(env.common(), tool, CODE % {"tool": tool, "way": way}, timeout=60)
            held_bytes = sum(os.lstat(os.path.join(env.workspace, entry)).st_size for entry in os.listdir(env.workspace)
                             if entry.startswith("fill-"))
            clear(env.workspace)
            if "ALL OF IT" in result["stdout"]:
                return "escaped", f"{tool}, {name}: {held_bytes >> 20} MB with a quota of 64 MB"
            # One file ends at the size that the quota leaves for it, which a program may cope with; many need the quota itself.
            capped = name == "one file" and "File too large" in result["stdout"] and held_bytes <= 64 << 20
            assert capped or result["limit"] == "disk", result
            seen.append(f"{name}, {tool}: {result['stdout'].strip() or 'killed'} at {held_bytes >> 20} MB")
    assert env.bash("echo ok > after; cat after")["stdout"] == "ok\n"
    return "held", "; ".join(seen)
