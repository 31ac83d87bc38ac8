"""FILE-*: one workspace, never left, never half written."""
import hashlib
import os
import threading
import time

from product import Scratch, Server, StdioClient, connect, fresh_uid, identity, wait_for
from registry import FREE, case, contains, equal, table


def workspace_of(client):
    return client.server.workspace


# FILE-05: one bad entry -------------------------------------------------------------------------------------------------
def crooked(client):
    setup = client.bash("echo a > a.txt; ln -s nowhere dangling; ln -s loop loop; ln -s /etc etclink; mkdir locked; "
                        "echo x > locked/in.txt; chmod 000 locked; mkfifo pipe; mkdir sub; echo b > sub/b.txt")
    equal(setup["exit_code"], 0, setup["stderr"])


@table("FILE-05", {"recursive": {}, "flat": {"recursive": False}, "pattern": {"pattern": "**"}, "below_sub": {"path": "sub"}})
def file_05(arguments):
    client = connect(settings=FREE)
    crooked(client)
    result = client.call("file_list", arguments)
    assert result["success"], result
    entries = {entry["path"]: entry for entry in result["entries"]}
    if arguments.get("path") == "sub":
        equal(sorted(entries), ["sub/b.txt"])
        return
    equal((entries["a.txt"]["size"], entries["a.txt"]["is_directory"]), (2, False))
    for name in ("dangling", "loop", "etclink"):
        equal(entries[name]["size"], None, name)
        contains(("symlink", "broken"), entries[name]["type"].split()[0], name)
    assert entries["locked"]["is_directory"], entries["locked"]
    assert not any(path.startswith("etclink/") for path in entries), "a link is not walked"
    client.bash("chmod 700 locked")


@case("FILE-05", "vanishing_files")
def file_05_vanishing():
    client = connect(settings=FREE)
    client.bash("mkdir d; for i in $(seq 200); do echo $i > d/$i.txt; done")
    churn = client.start_call("system_run_command", {
        "command": "for r in $(seq 20); do for i in $(seq 200); do rm -f d/$i.txt; echo > d/$i.txt; done; done", "timeout": 60})
    for _ in range(30):
        result = client.call("file_list", {"path": "d"})
        assert result["success"], result
    client.wait(churn)


@table("FILE-05", {"missing": "nowhere", "a_file": "a.txt", "outside": "../..", "through_link": "etclink"})
def file_05_bad_paths(path):
    client = connect(settings=FREE)
    crooked(client)
    result = client.call("file_list", {"path": path})
    equal((result["success"], result["entries"]), (False, []))
    contains(result["error"], path.lstrip("/"))
    client.bash("chmod 700 locked")


# FILE-07: the neighbour with the same prefix -----------------------------------------------------------------------------
@table("FILE-07", {
    "dotdot": "../share-secret/x.txt", "absolute": "{parent}/share-secret/x.txt", "deep": "a/../../share-secret/x.txt",
    "doubled": "..//share-secret/x.txt", "workspace_prefix": "/workspace-secret/x.txt", "workspace_dotdot": "/workspace/../share-secret/x.txt",
    "missing_neighbour": "../share-missing/x.txt"})
def file_07(path):
    scratch = Scratch(None)
    os.chmod(scratch.path, 0o755)
    share, secret = scratch.make("share"), scratch.make("share-secret")
    with open(os.path.join(secret, "x.txt"), "w") as file:
        file.write("canary")
    server_uid = fresh_uid() if identity() == "user" and os.geteuid() == 0 else None
    if server_uid is not None:
        os.chmod(share, 0o777)
    client = connect(settings=FREE, workspace=share)
    path = path.replace("{parent}", scratch.path)
    for tool, arguments in (("file_read", {"path": path}), ("file_delete", {"path": path}), ("file_list", {"path": path}),
                            ("file_move", {"source": path, "destination": "y.txt"}),
                            ("file_write", {"path": path, "content": "x"})):
        result = client.call(tool, arguments)
        assert "canary" not in str(result), result
        if tool != "file_write" or ".." in path:  # an absolute path is taken below the root: writing there is allowed
            equal(result["success"], False, f"{tool} {path}")
    with open(os.path.join(secret, "x.txt")) as file:
        equal(file.read(), "canary")
    equal(os.listdir(secret), ["x.txt"])
    result = client.bash("echo ran", working_dir=os.path.dirname(path) if ".." in path else path)
    equal((result["exit_code"], result["stdout"]), (126, ""), result["stderr"])


@case("FILE-07", "no_oracle")
def file_07_oracle():
    """The answer is the same whether the file outside exists or not."""
    client = connect(settings=FREE)
    answers = {client.call("file_read", {"path": path})["error"].replace(path.split("/")[-1], "NAME")
               for path in ("../state", "../missing")}
    equal(len(answers), 1, str(answers))


# FILE-08: below a link that leads out ----------------------------------------------------------------------------------------
@table("FILE-08", {"below_link": "etclink/cmcp-canary.txt", "dangling_link": "dang", "dotted": "a/../etclink/cmcp-canary.txt",
                   "two_links": "l2/cmcp-canary.txt", "absolute_spelling": "/workspace/etclink/cmcp-canary.txt"})
def file_08(path):
    client = connect(settings=FREE)
    client.bash("mkdir a; ln -s /etc etclink; ln -s /etc/cmcp-canary.txt dang; ln -s etclink l2")
    for tool, arguments in (("file_write", {"path": path, "content": "x"}), ("file_read", {"path": path}),
                            ("file_move", {"source": "a", "destination": path})):
        result = client.call(tool, arguments)
        equal(result["success"], False, f"{tool} {path}")
        assert result["error"], result
    assert not os.path.exists("/etc/cmcp-canary.txt")
    assert "etclink" in [e["name"] for e in client.call("file_list")["entries"]]


@table("FILE-08", {"relative": ("ln -s sub inner", "inner/x.txt"), "absolute_below_workspace": ("ln -s /workspace/sub inner", "inner/x.txt"),
                   "up_and_down": ("ln -s ../sub sub/self", "sub/self/x.txt"), "file_link": ("echo > sub/x.txt; ln -s sub/x.txt f.txt", "f.txt")})
def file_08_inner_links_work(row):
    setup, path = row
    client = connect(settings=FREE)
    client.bash("mkdir sub; " + setup)
    assert client.call("file_write", {"path": path, "content": "inner"})["success"]
    equal(client.bash("cat sub/x.txt")["stdout"], "inner")
    equal(client.call("file_read", {"path": path})["content"], "inner")


@case("FILE-08", "swapped_10000_times")
def file_08_race():
    client = connect(settings=FREE)
    outside = Scratch(client.server.uid)
    with open(os.path.join(outside.path, "secret.txt"), "w") as file:
        file.write("canary")
    if client.server.uid is not None:
        os.chown(os.path.join(outside.path, "secret.txt"), client.server.uid, client.server.uid)
    workspace = workspace_of(client)
    os.mkdir(os.path.join(workspace, "real"))
    os.chmod(os.path.join(workspace, "real"), 0o777)
    os.symlink(outside.path, os.path.join(workspace, "link"))
    target = os.path.join(workspace, "d")
    stop = threading.Event()

    def swap():
        for turn in range(10000):
            if stop.is_set():
                return
            source = os.path.join(workspace, "link" if turn % 2 else "real")
            try:
                os.rename(source, target)
                os.rename(target, source)
            except OSError:
                pass

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        while thread.is_alive():
            for tool, arguments in (("file_write", {"path": "d/new.txt", "content": "x"}), ("file_read", {"path": "d/secret.txt"}),
                                    ("file_list", {"path": "d"}), ("file_delete", {"path": "d/secret.txt"}),
                                    ("file_move", {"source": "d/secret.txt", "destination": "got.txt"})):
                result = client.call(tool, arguments)
                assert "canary" not in str(result), result
    finally:
        stop.set()
        thread.join()
    equal(sorted(os.listdir(outside.path)), ["secret.txt"], "nothing was created or deleted outside")


# FILE-13: move ------------------------------------------------------------------------------------------------------------
@table("FILE-13", {
    "existing_file": ("a.txt", "b.txt"), "itself": ("a.txt", "a.txt"), "into_own_child": ("dir", "dir/child/x"),
    "missing_source": ("nope.txt", "c.txt"), "existing_directory": ("a.txt", "dir"), "root": ("/", "x"), "missing_parents": ("a.txt", "missing/dir/c.txt"), "outside": ("a.txt", "../a.txt"),
})
def file_13(row):
    source, destination = row
    client = connect(settings={**FREE, "FILE_ALLOWED_EXTENSIONS": "*"})
    client.bash("printf A > a.txt; printf B > b.txt; mkdir dir")
    result = client.call("file_move", {"source": source, "destination": destination})
    equal((result["success"], result["source"], result["destination"]), (False, source, destination))
    assert result["error"], result
    equal(client.bash("cat a.txt b.txt; ls -d dir")["stdout"], "ABdir\n")


@case("FILE-13", "errors_are_distinct")
def file_13_distinct():
    client = connect(settings={**FREE, "FILE_ALLOWED_EXTENSIONS": "*"})
    client.bash("printf A > a.txt; printf B > b.txt; mkdir dir")
    errors = [client.call("file_move", {"source": s, "destination": d})["error"].replace(s, "S").replace(d, "D")
              for s, d in (("a.txt", "b.txt"), ("a.txt", "a.txt"), ("dir", "dir/child/x"), ("nope.txt", "c.txt"), ("a.txt", "no/such/c.txt"))]
    equal(len(set(errors)), 5, str(errors))


@table("FILE-13", {
    "overwrite": ({"source": "a.txt", "destination": "b.txt", "overwrite": True}, "cat b.txt; ls", "Ab.txt\ndir\nl.txt\n"),
    "into_directory": ({"source": "a.txt", "destination": "dir/c.txt"}, "cat dir/c.txt", "A"),
    "the_link_itself": ({"source": "l.txt", "destination": "m.txt"}, "readlink m.txt; cat a.txt", "a.txt\nA"),
})
def file_13_works(row):
    arguments, check, stdout = row
    client = connect(settings=FREE)
    client.bash("printf A > a.txt; printf B > b.txt; ln -s a.txt l.txt; mkdir dir")
    result = client.call("file_move", arguments)
    equal((result["success"], result["error"]), (True, None))
    equal(client.bash(check)["stdout"], stdout)


# FILE-09: atomic, and nothing lost ------------------------------------------------------------------------------------------
@case("FILE-09", "mode_and_link_are_kept")
def file_09():
    client = connect(settings=FREE)
    client.bash("echo old > s.txt; chmod 755 s.txt; ln s.txt hard.txt; ln -s s.txt link.txt")
    assert client.call("file_write", {"path": "link.txt", "content": "new\n"})["success"]
    lines = client.bash("stat -c '%a %F' s.txt; stat -c %F link.txt; cat s.txt link.txt")["stdout"].splitlines()
    equal(lines, ["755 regular file", "symbolic link", "new", "new"])


@table("FILE-09", {"mode_600": "600", "mode_644": "644", "mode_664": "664"})
def file_09_modes(mode):
    client = connect(settings=FREE)
    client.bash(f"echo old > s.txt; chmod {mode} s.txt")
    assert client.call("file_write", {"path": "s.txt", "content": "new"})["success"]
    equal(client.bash("stat -c %a s.txt; cat s.txt")["stdout"], f"{mode}\nnew")


@case("FILE-09", "write_protected")
def file_09_protected():
    client = connect(settings=FREE)
    client.bash("echo old > s.txt; chmod 444 s.txt")
    result = client.call("file_write", {"path": "s.txt", "content": "new"})
    equal(result["success"], False)
    contains(result["error"], "s.txt")
    equal(client.bash("stat -c %a s.txt; cat s.txt")["stdout"], "444\nold\n")


@case("FILE-09", "killed_in_mid_write")
def file_09_crash():
    scratch = Scratch(None)
    share = scratch.make("share")
    os.chmod(share, 0o777)
    old, new = "o" * 9_000_000, "n" * 9_000_000
    wholes = {hashlib.sha256(text.encode()).hexdigest() for text in (old, new)}
    for turn in range(8):
        client = connect(settings={**FREE, "WORKSPACE_DIR": share}, workspace=share)
        client.call("file_write", {"path": "big.txt", "content": old})
        client.start_call("file_write", {"path": "big.txt", "content": new})
        time.sleep(0.004 * turn)  # a different moment each time, not a condition
        client.server.kill()
        with open(os.path.join(share, "big.txt"), "rb") as file:
            contains(wholes, hashlib.sha256(file.read()).hexdigest(), "wholly old or wholly new")
        again = connect(settings={**FREE, "WORKSPACE_DIR": share}, workspace=share)
        equal([e["name"] for e in again.call("file_list", {"include_hidden": True})["entries"]], ["big.txt"])
        again.call("file_delete", {"path": "big.txt"})
        again.server.stop()


# FILE-17: extensions ----------------------------------------------------------------------------------------------------------
@table("FILE-17", {
    "makefile_needs_none": ("Makefile", False), "upper_case": ("A.TXT", True), "dotfile_needs_none": (".txt", False),
    "last_suffix_exe": ("x.txt.exe", False), "last_suffix_txt": ("x.exe.txt", True), "trailing_dot": ("x.txt.", False),
    "trailing_space": ("x.txt ", False), "tar_gz": ("x.tar.gz", False), "directory_form": ("d.txt/", False), "plain": ("a.md", True),
    "shell": ("a.sh", False), "hidden_with_suffix": (".a.py", True),
})
def file_17(row):
    name, allowed = row
    client = connect(settings={"FILE_ALLOWED_EXTENSIONS": "txt,md,csv,json,py"})
    result = client.call("file_write", {"path": name, "content": "x"})
    equal(result["success"], allowed, f"{name!r} {result['error']}")
    if not allowed and not name.endswith("/"):
        for extension in ("txt", "md", "csv", "json", "py"):
            contains(result["error"], extension, "the error lists what is allowed")
    assert client.call("file_list")["success"]


@table("FILE-17", {"move": "move", "link": "link", "read": "read", "move_from": "move_from"})
def file_17_ways_around(way):
    client = connect(settings={**FREE, "FILE_ALLOWED_EXTENSIONS": "txt"})
    client.bash("echo s > s.sh; echo a > a.txt; ln -s s.sh l.txt")
    if way == "move":
        result = client.call("file_move", {"source": "a.txt", "destination": "a.sh"})
    elif way == "move_from":
        result = client.call("file_move", {"source": "s.sh", "destination": "b.txt"})
    elif way == "link":
        result = client.call("file_write", {"path": "l.txt", "content": "x"})
    else:
        result = client.call("file_read", {"path": "l.txt"})
    equal(result["success"], False, way)
    contains(result["error"], "txt")
    equal(client.bash("cat s.sh a.txt")["stdout"], "s\na\n")


@table("FILE-17", {"star": ("*", "x.exe", True), "none": ("txt,none", "Makefile", True), "none_dotfile": ("txt,none", ".env", True),
                   "none_not_exe": ("txt,none", "x.exe", False), "read_extension_not_written": ("txt", "x.png", False)})
def file_17_tokens(row):
    setting, name, allowed = row
    result = connect(settings={"FILE_ALLOWED_EXTENSIONS": setting}).call("file_write", {"path": name, "content": "x"})
    equal(result["success"], allowed, str(result["error"]))
