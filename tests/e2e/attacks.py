#!/usr/bin/env python3
"""Attacks on the whole product, a row each, as a hostile model that may call every tool: what is refused stays refused, and
the service works after every row. Every row is bounded by itself. Run as root (idmapped and not) and as an ordinary user.
"""
import os
import pwd
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import product  # noqa: E402
from attack_rows import AttackRows  # noqa: E402
from product import Scratch, Server, StdioClient, fresh_uid, identity, wait_for  # noqa: E402

FREE = {"COMMAND_RESTRICTED": "false", "FILE_ALLOWED_EXTENSIONS": "*"}
suite = AttackRows("attacks", FREE)
row = suite.row


def own(path, uid):
    if os.geteuid() == 0:
        os.lchown(path, uid, uid)


def user_of(who):
    """(a uid for workspaces, the server's uid or None): in the unprivileged start both are one."""
    uid = fresh_uid()
    if os.geteuid() != 0:
        return os.geteuid(), None
    return (uid, uid) if who == "user" else (pwd.getpwnam("container-mcp").pw_uid, None)


def server_with(workspaces, settings, switches, who):
    """A server with `--workspace` for each (spelling with {}, directory)."""
    args = []
    for spelling, directory in workspaces:
        args += ["--workspace", spelling.format(directory)]
    return StdioClient(Server("stdio", settings, args=args, extra_env=switches, who=who))


def make_workspace(uid):
    scratch = Scratch(uid if os.geteuid() == 0 else None)
    path = os.path.join(scratch.path, "keep.txt")
    with open(path, "w") as file:
        file.write("keep")
    os.chmod(path, 0o666)
    own(path, uid)
    return scratch.path


def tree(path):
    found = []
    for directory, names, files in os.walk(path):
        for name in names + files:
            info = os.lstat(os.path.join(directory, name))
            found.append((os.path.relpath(os.path.join(directory, name), path), info.st_mode, info.st_size, info.st_mtime_ns))
    with open(os.path.join(path, "keep.txt")) as file:
        return sorted(found), file.read()


WRITES = ["echo x > ro/keep.txt", "echo x > ro/n", "rm ro/keep.txt", "mv ro/keep.txt rw/", "chmod 777 ro/keep.txt",
          "touch ro/keep.txt", "ln ro/keep.txt rw/hard", "ln rw/keep.txt ro/hard", "mkdir ro/q", "ln -s x ro/l",
          "truncate -s0 ro/keep.txt", "cd ro; exec 3<keep.txt; echo x > /proc/self/fd/3", "mv ro other", "rmdir ro",
          "ln -s ../ro rw/link; echo x > rw/link/keep.txt", "ln -s /workspace/ro rw/absolute; echo y > rw/absolute/keep.txt"]
CALLS = [("file_write", {"path": "ro/keep.txt", "content": "x"}), ("file_write", {"path": "ro/a/b.txt", "content": "x"}),
         ("file_write", {"path": "rw/link/keep.txt", "content": "x"}), ("file_write", {"path": "rw/absolute/n.txt", "content": "x"}),
         ("file_delete", {"path": "ro/keep.txt"}), ("file_delete", {"path": "ro", "recursive": True}),
         ("file_move", {"source": "ro/keep.txt", "destination": "rw/k.txt"}), ("file_move", {"source": "ro", "destination": "ro3"}),
         ("file_move", {"source": "rw/keep.txt", "destination": "ro/keep.txt", "overwrite": True})]


@row("a read-only workspace beside a writable one")
def read_only_workspace(client, who, settings, switches):
    uid, product_uid = user_of(who)
    if product_uid:
        product.fresh_uid, kept = (lambda: product_uid), product.fresh_uid
    try:
        guarded, writable = make_workspace(uid), make_workspace(uid)
        client = server_with([("ro={}:ro", guarded), ("rw={}", writable)], settings, switches, who)
    finally:
        if product_uid:
            product.fresh_uid = kept
    before = tree(guarded)
    assert client.bash("cat ro/keep.txt; echo new > rw/new.txt; cat rw/new.txt")["stdout"] == "keepnew\n"
    for command in WRITES:
        result = client.bash(command)
        assert result["exit_code"] != 0 and result["stderr"], (command, result)
    for tool, arguments in CALLS:
        result = client.call(tool, arguments)
        assert result["success"] is False and result["error"], (tool, arguments, result)
    assert client.call("file_read", {"path": "ro/keep.txt"})["content"] == "keep"
    assert tree(guarded) == before, "the read-only workspace changed"
    client.server.stop()


SOCKETS = """import socket
kept, total = [], 0
try:
    while True:
        a, b = socket.socketpair()
        try:
            a.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 22)
        except PermissionError:
            pass
        a.setblocking(False)
        kept += [a, b]
        try:
            while total < 1 << 30:
                total += a.send(b'x' * 100000)
        except BlockingIOError:
            pass
        if total >= 1 << 30:
            break
except OSError:
    del kept[-8:]  # descriptors for what follows
import os, time
time.sleep(0.1)
_ = total >> 20
"""


@row("memory kept in socket buffers, without a memory cgroup", switches={"CMCP_TEST_NO_CGROUP": "1"})
def socket_memory(client, who, settings, switches):
    result = client.python(SOCKETS)
    held = result["result"]
    assert result["limit"] == "memory" or held < 512, f"one process held {held} MB in sockets"


@row("many processes with sockets, without a memory cgroup", switches={"CMCP_TEST_NO_CGROUP": "1"})
def sockets_of_many(client, who, settings, switches):
    code = SOCKETS.replace("import socket\n", "import socket, os\nfor _ in range(3): os.fork()\n", 1).replace("0.1", "5")
    result = client.python(code, timeout=20)
    assert result["limit"] == "memory", result


@row("event loops still work, without a memory cgroup", switches={"CMCP_TEST_NO_CGROUP": "1"})
def event_loops(client, who, settings, switches):
    result = client.python("import asyncio\nasync def one():\n    await asyncio.sleep(0.3)\n    return 1\n"
                           "_ = sum(await asyncio.gather(*[one() for _ in range(100)]))")
    assert result["result"] == 100, result


@row("links swapped in while the file tools work")
def link_race(client, who, settings, switches):
    outside = Scratch().path
    os.chmod(outside, 0o777)
    with open(os.path.join(outside, "f.txt"), "w") as file:
        file.write("SECRET")
    os.chmod(os.path.join(outside, "f.txt"), 0o666)
    race = ("import os, time\nos.mkdir('x')\nopen('x/f.txt', 'w').write('inside')\n"
            f"os.symlink({outside!r}, 'link')\nend = time.monotonic() + 4\n"
            "while time.monotonic() < end:\n    os.rename('x', 'y'); os.rename('link', 'x')\n"
            "    os.rename('x', 'link'); os.rename('y', 'x')\n")
    running = client.start_call("system_run_python", {"code": race, "timeout": 60})
    wait_for(lambda: os.path.lexists(os.path.join(client.server.workspace, "link")), "the race to begin")
    while running not in client.answers:
        for tool, arguments in (("file_read", {"path": "x/f.txt"}), ("file_write", {"path": "x/n.txt", "content": "OUT"}),
                                ("file_list", {"path": "x"}), ("file_delete", {"path": "x/f.txt"}),
                                ("file_write", {"path": "x/f.txt", "content": "inside"})):
            assert "SECRET" not in str(client.call(tool, arguments)), tool
    assert os.listdir(outside) == ["f.txt"], os.listdir(outside)
    with open(os.path.join(outside, "f.txt")) as file:
        assert file.read() == "SECRET"


@row("secrets of the server", settings={**FREE, "MCP_AUTH_TOKEN": "CANARY-in-a-setting-1234567890"})
def secrets(client, who, settings, switches):
    look = "grep -als CANAR[Y] /proc/*/environ /proc/*/cmdline /proc/*/maps; env | grep CANAR[Y]; ls /proc/self/fd; cat /proc/1/environ"
    result = client.bash(look)
    assert "environ\n" not in result["stdout"] and "CANARY" not in result["stdout"], result
    # Not even the name of init is there.
    assert any(said in result["stderr"] for said in ("No such file", "Operation not permitted", "Permission denied")), result
    assert "CANARY" not in str(client.call("system_env_var", {"var_name": "MCP_AUTH_TOKEN"}))
    assert "CANARY" not in "".join(client.server.log)
    for pid in client.server.descendants():
        try:
            with open(f"/proc/{pid}/environ", "rb") as environ:
                assert b"CANARY" not in environ.read(), f"process {pid} below the server holds the token"
        except (FileNotFoundError, ProcessLookupError):
            continue  # the last of a run, which has ended meanwhile


@row("cancels by the hundred, and more calls than there is room for")
def cancel_storm(client, who, settings, switches):
    for _ in range(100):
        client.notify("notifications/cancelled", {"requestId": client.start_call("system_run_command", {"command": "sleep 30"})})
    wait_for(lambda: client.bash("echo ok").get("stdout") == "ok\n", "a run after the storm")
    calls = [client.start_call("system_run_command", {"command": "sleep 0.3; echo done"}) for _ in range(100)]
    answers = [product.unpack(client.wait(call)) for call in calls]
    done = [answer for answer in answers if answer.get("stdout") == "done\n"]
    busy = [answer for answer in answers if answer.get("code") == "busy" and "SANDBOX_MAX_RUNS" in answer["error"]]
    assert done and len(done) + len(busy) == 100, (len(done), len(busy))
    # The supervisor, the launcher, and its pid 1.
    wait_for(lambda: len(client.server.descendants()) <= 3, "nothing but the launcher below the server")


def main():
    who = identity()
    modes = [("as it starts", {})] if who == "user" else [("idmapped", {}), ("not idmapped", {"CMCP_TEST_NO_IDMAP": "1"})]
    return suite.main(modes, lambda attack, client, settings, switches: attack(client, who, settings, switches))


if __name__ == "__main__":
    sys.exit(main())
