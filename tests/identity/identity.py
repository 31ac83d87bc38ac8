#!/usr/bin/env python3
"""One script in the three identity modes: a 0600 file made by Python is read, edited, moved and deleted by the file tools
and by the next run, and nothing is ever chowned. Prints one line a mode. Needs root to start (it drops for the third mode).
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from product import Scratch, Server, StdioClient  # noqa: E402

MAKE = "import os\nfd = os.open('note.txt', os.O_CREAT | os.O_WRONLY, 0o600)\nos.write(fd, b'by python')\nos.close(fd)\n" \
       "os.mkdir('d', 0o700)\n_ = [os.getuid(), oct(os.stat('note.txt').st_mode & 0o777), os.stat('note.txt').st_uid]"


def script(client):
    """Returns the uid that owns the file on the host."""
    made = client.python(MAKE)
    assert made["result"] == [1000, "0o600", 1000], made
    workspace = client.server.workspace
    owner = os.stat(os.path.join(workspace, "note.txt")).st_uid
    assert owner == os.stat(workspace).st_uid, f"the file's owner is {owner}, the workspace's is another"
    read = client.call("file_read", {"path": "note.txt"})
    assert read["content"] == "by python", read
    assert client.call("file_write", {"path": "note.txt", "content": "by tool"})["success"]
    assert os.stat(os.path.join(workspace, "note.txt")).st_uid == owner
    again = client.bash("cat note.txt; stat -c '%a %u' note.txt; echo more >> note.txt; touch d/x.txt")
    assert again["stdout"] == "by tool600 1000\n" and again["exit_code"] == 0, again
    assert client.call("file_read", {"path": "note.txt"})["content"] == "by toolmore\n"
    assert client.call("file_write", {"path": "new.txt", "content": "tool's own"})["success"]
    assert client.python("open('new.txt', 'a').write('+')\n_ = open('new.txt').read()")["result"] == "tool's own+"
    assert client.call("file_move", {"source": "note.txt", "destination": "d/moved.txt"})["success"]
    assert client.python("_ = open('d/moved.txt').read()")["result"] == "by toolmore\n"
    assert client.call("file_delete", {"path": "d", "recursive": True})["success"]
    assert client.python("import os; _ = os.path.exists('d')")["result"] is False
    return owner


def main():
    if os.geteuid() != 0:
        print("identity: skipped: the three modes can only be started by root")
        return 77
    free = {"COMMAND_RESTRICTED": "false"}
    modes = [("root, idmapped workspaces", "root", {}), ("root, idmapping forced off", "root", {"CMCP_TEST_NO_IDMAP": "1"}),
             ("unprivileged", "user", {})]
    for name, who, switches in modes:
        owner = script(StdioClient(Server("stdio", free, extra_env=switches, who=who)))
        print(f"identity: {name}: held (files belong to uid {owner} on the host)", flush=True)
    # A workspace of somebody's own: files keep that owner in the mode with idmapped workspaces.
    theirs = Scratch(54321)
    owner = script(StdioClient(Server("stdio", free, workspace=theirs.path, who="root")))
    assert owner == 54321, owner
    return 0


if __name__ == "__main__":
    sys.exit(main())
