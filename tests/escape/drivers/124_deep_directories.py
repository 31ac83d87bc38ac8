# case: 124
# title: a hundred thousand directories, one in the other
# tries: making them in the workspace and in /tmp; reading, listing, searching and moving what is above; deleting them with
#   file_delete; running programs meanwhile
# expect: refused or done with a clear answer; the tree goes away without a recursion that overflows
# layers: -
# settings: BASH_TIMEOUT_MAX=400 PYTHON_TIMEOUT_MAX=400
import os
import pwd
import shutil
import tempfile

import product
from outside import BOTH, run_program
from product import fresh_uid

DEPTH = 100000
# Making a directory takes the longer the deeper it is (Landlock looks at all above it): chains that are moved into each other.
CODE = """import os
os.chdir(%(place)r)
top = os.open('.', os.O_RDONLY)
bottom, made = None, 0
try:
    while made < %(depth)d:
        os.fchdir(top)
        os.mkdir('chain')
        os.chdir('chain')
        for _ in range(499):
            os.mkdir('d')
            os.chdir('d')
        here = os.open('.', os.O_RDONLY)
        os.rename('chain', 'd', src_dir_fd=top, dst_dir_fd=bottom if bottom is not None else top)
        bottom = here
        made += 500
    open(os.path.join('bottom.txt'), 'w').write('x')
except OSError as failure:
    print(failure)
print('depth', made)
"""


def remove_deep(path):
    """Takes a chain of directories away without recursion: each level is moved up before its parent goes."""
    moved = path + ".up"
    while os.path.isdir(path):
        names = os.listdir(path)
        for name in names:
            inner = os.path.join(path, name)
            if os.path.isdir(inner) and not os.path.islink(inner):
                os.rename(inner, moved)
            else:
                os.unlink(inner)
        os.rmdir(path)
        if os.path.isdir(moved):
            os.rename(moved, path)


def run(env):
    # In memory: some disks take minutes for 100,000 directories, whoever deletes them.
    place = tempfile.mkdtemp(prefix="cmcp-test-", dir="/dev/shm")
    try:
        return attack(env, place)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def attack(env, workspace):
    uid = fresh_uid() if os.geteuid() == 0 and env.mode == "user" else None
    if os.geteuid() == 0:
        owner = uid or pwd.getpwnam("container-mcp").pw_uid
        os.chown(workspace, owner, owner)
    kept = product.fresh_uid
    product.fresh_uid = lambda: uid or kept()
    try:
        client = env.client(workspace=workspace)
    finally:
        product.fresh_uid = kept
    seen = []
    top = os.path.join(workspace, "deep")
    try:
        for tool in BOTH:
            assert client.bash("mkdir deep")["success"]
            result = run_program(client, tool, CODE % {"place": "deep", "depth": DEPTH}, timeout=300)
            assert result["stdout"].strip().endswith(f"depth {DEPTH}"), result["stdout"][-300:] + result["stderr"][-300:]
            listed = client.call("file_list", {"path": "deep", "recursive": True}, timeout=300)
            assert listed.get("success") or listed.get("error"), listed
            assert client.bash("echo ok")["stdout"] == "ok\n"
            deleted = client.call("file_delete", {"path": "deep", "recursive": True}, timeout=300)
            assert deleted.get("success"), str(deleted)[:500]
            assert not os.path.exists(top), "file_delete told success, and the directory is there"
            seen.append(f"{tool}: {DEPTH} levels made, listed ({'ok' if listed.get('success') else listed['error'][:60]}), deleted")
        for tool in BOTH:  # and in the file system of the run, which goes with it
            result = run_program(client, tool, CODE % {"place": "/tmp", "depth": DEPTH}, timeout=300)
            assert "depth" in result["stdout"], result
        assert client.bash("ls -A /tmp | wc -l; echo ok")["stdout"] == "0\nok\n"
    finally:
        remove_deep(top)
    return "held", "; ".join(seen)
