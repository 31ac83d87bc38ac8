#!/usr/bin/env python3
"""Where files are: workspaces of every layout, through file tools, bash and Python; and what tools/list says."""
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from product import HttpClient, Scratch, Server, StdioClient, connect, fresh_uid, identity  # noqa: E402
from rows import Rows  # noqa: E402

suite = Rows("workspaces")
row = suite.row
FREE = {"COMMAND_RESTRICTED": "false"}
GOLDEN = os.path.join(HERE, "..", "golden", "tools.json")


def directory(**files):
    """A directory of the user's own, that the server of either start may read and write."""
    scratch = Scratch()
    path = scratch.make("mine")
    for name, text in files.items():
        with open(os.path.join(path, name), "w") as file:
            file.write(text)
        os.chmod(os.path.join(path, name), 0o666)
    os.chmod(path, 0o777)
    return path


def names(client, path="/"):
    return sorted(entry["path"] for entry in client.call("file_list", {"path": path})["entries"])


@row("several named workspaces, one read-only, through all tools")
def named():
    open_one, read_only = directory(note="open"), directory(note="fixed")
    client = connect(settings=FREE, args=["--workspace", f"trial={open_one}", "--workspace", f"ref={read_only}:ro"])
    bash = client.bash("pwd; ls; cat trial/note ref/note; echo new > trial/made; echo no > ref/made")
    assert bash["stdout"] == "/workspace\nref\ntrial\nopenfixed", bash
    assert "Read-only file system" in bash["stderr"] and bash["exit_code"] == 1, bash
    python = client.python("import os\n_ = [sorted(os.listdir('/workspace')), open('ref/note').read(), open('/workspace/trial/made').read()]\n"
                           "try:\n    open('ref/x', 'w')\nexcept OSError as e:\n    print(e.strerror)")
    assert python["result"] == [["ref", "trial"], "fixed", "new\n"] and python["output"] == "Read-only file system\n", python
    assert client.call("file_read", {"path": "/workspace/ref/note"})["content"] == "fixed"
    assert client.call("file_read", {"path": "trial/made"})["content"] == "new\n"
    assert client.call("file_write", {"path": "trial/by_tool", "content": "t"})["success"]
    for tool, arguments in (("file_write", {"path": "ref/x", "content": "x"}), ("file_delete", {"path": "ref/note"}),
                            ("file_move", {"source": "ref/note", "destination": "trial/n"}),
                            ("file_move", {"source": "trial/note", "destination": "ref/n"})):
        refused = client.call(tool, arguments)
        assert refused["success"] is False and "read-only" in refused["error"].lower(), (tool, refused)
    assert sorted(os.listdir(open_one)) == ["by_tool", "made", "note"] and os.listdir(read_only) == ["note"]
    assert {"/trial", "/ref"} <= {"/" + path.strip("/").removeprefix("workspace/") for path in names(client)}, names(client)
    for where in ("trial", "/workspace/ref", "ref/."):
        ran = client.bash("pwd", working_dir=where)
        assert ran["stdout"] == "/workspace/" + ("trial" if "trial" == where else "ref") + "\n", ran


@row("a named workspace below one of the user's own, which has a directory for it")
def below_own():
    base, inner = directory(note="base"), directory(note="inner")
    os.mkdir(os.path.join(base, "sub"))
    client = connect(settings=FREE, args=["--workspace", base, "--workspace", f"sub={inner}"])
    assert client.bash("cat note sub/note")["stdout"] == "baseinner"
    assert client.python("_ = open('sub/note').read()")["result"] == "inner"
    assert client.call("file_read", {"path": "sub/note"})["content"] == "inner"
    assert names(client).count(names(client)[0]) == 1 and len(names(client)) == len(set(names(client))), names(client)
    # The mount point cannot be replaced by a link that leads elsewhere while sandboxes run.
    assert client.bash("rmdir sub; mv sub other; ln -sfn /etc sub; cat sub/note")["stdout"] == "inner"


@row("one read-only workspace: no writing tool is listed, and nothing writes")
def read_only():
    for settings, args in (({}, ["--workspace", "DIR:ro"]), ({"WORKSPACE_READONLY": "true"}, ["--workspace", "DIR"]),
                           ({"WORKSPACE_READONLY": "true", "WORKSPACE_DIR": "DIR"}, [])):
        path = directory(note="fixed")
        client = connect(settings={**FREE, **{name: value.replace("DIR", path) for name, value in settings.items()}},
                         args=[word.replace("DIR", path) for word in args])
        tools = {tool["name"] for tool in client.request("tools/list")["tools"]}
        assert tools == {"file_read", "file_list", "system_run_command", "system_run_python", "system_env_var"}, tools
        assert client.call("file_read", {"path": "note"})["content"] == "fixed"
        bash = client.bash("cat note; echo x > note; echo x > new; rm note; mkdir d")
        assert bash["stdout"] == "fixed" and bash["stderr"].count("Read-only file system") == 4, bash
        assert client.python("import os\ntry:\n    os.remove('note')\nexcept OSError as e:\n    _ = e.strerror")["result"] == "Read-only file system"
        assert os.listdir(path) == ["note"] and open(os.path.join(path, "note")).read() == "fixed"


@row("DATA_DIR is /data, read-only, for bash and Python; the file tools do not see it")
def data():
    path = directory(table="1,2")
    client = connect(settings={**FREE, "DATA_DIR": path})
    bash = client.bash("cat /data/table; echo x > /data/new; rm /data/table")
    assert bash["stdout"] == "1,2" and bash["stderr"].count("Read-only file system") == 2, bash
    python = client.python("_ = open('/data/table').read()\ntry:\n    open('/data/n', 'w')\nexcept OSError as e:\n    print(e.strerror)")
    assert (python["result"], python["output"]) == ("1,2", "Read-only file system\n"), python
    assert client.call("file_read", {"path": "/data/table"})["success"] is False
    assert client.call("file_write", {"path": "/data/mine.txt", "content": "own"})["success"]
    assert client.bash("cat data/mine.txt")["stdout"] == "own" and os.listdir(path) == ["table"]


@row("a SANDBOX_ROOT that holds files is itself the workspace; said at start, nothing moved")
def root_with_files():
    uid = fresh_uid() if identity() == "user" and os.geteuid() == 0 else None
    scratch = Scratch(uid)
    root = scratch.make("root")
    with open(os.path.join(root, "old.txt"), "w") as file:
        file.write("from before")
    os.chmod(os.path.join(root, "old.txt"), 0o666)
    os.chmod(root, 0o777)
    client = connect(settings={**FREE, "SANDBOX_ROOT": root})
    assert client.call("file_read", {"path": "old.txt"})["content"] == "from before"
    assert client.bash("cat old.txt; echo x > new.txt")["stdout"] == "from before"
    assert client.python("_ = sorted(__import__('os').listdir('.'))")["result"] == ["new.txt", "old.txt"]
    assert sorted(os.listdir(root)) == ["new.txt", "old.txt"]
    assert any("itself the workspace" in line for line in client.server.log), client.server.log
    # With `files` beside them, the workspace is `files`.
    os.mkdir(os.path.join(root, "files"))
    os.chmod(os.path.join(root, "files"), 0o777)
    client = connect(settings={**FREE, "SANDBOX_ROOT": root})
    assert client.bash("ls")["stdout"] == ""


@row("workspaces that cannot be are refused at start")
def refused():
    path = directory()
    for args, words in ((["--workspace", "/"], "root directory"), (["--workspace", "a/b=" + path], "a/b"),
                        (["--workspace", f"x={path}", "--workspace", f"x={path}"], "name x"),
                        (["--workspace", path, "--workspace", path], "no name"),
                        (["--workspace", f"a={path}", "--workspace", f"b={path}"], "overlap"),
                        (["--workspace", path, "--workspace", f"sub={directory()}"], "needs a directory sub")):
        server = Server("stdio", args=args)
        assert server.process.wait(60) == 2, args
        server.process.stdin.close()
        assert words in "".join(server.log) or words in server.process.stderr.read().decode(), (args, server.log)


@row("working_dir: links inside are followed to the real directory; links that lead out are refused")
def working_dir():
    client = connect(settings=FREE)
    client.bash("mkdir -p real/deep other; ln -s real/deep near; ln -s /workspace/real absolute; ln -s /etc out; ln -s ../../etc dotted; "
                "ln -s nowhere dangling; ln -s loop loop; touch plain")
    for given, real in (("near", "real/deep"), ("near/..", "real"), ("absolute/deep", "real/deep"), ("/workspace/near", "real/deep"),
                        ("other/../near", "real/deep"), ("/absolute", "real"), ("real//deep/", "real/deep"), (".", "")):
        wanted = "/workspace" + ("/" + real if real else "")
        bash = client.bash("pwd; pwd -P", working_dir=given)
        assert bash["stdout"] == f"{wanted}\n{wanted}\n", (given, bash)
        assert client.python("import os; _ = os.getcwd()", working_dir=given)["result"] == wanted, given
    for given in ("out", "dotted", "out/passwd", "near/../../../etc", "dangling", "loop", "plain", "none", "../x"):
        bash = client.bash("echo ran", working_dir=given)
        assert (bash["exit_code"], bash["stdout"], bash["success"]) == (126, "", False), (given, bash)
        assert given in bash["stderr"], (given, bash)
        python = client.python("print('ran')", working_dir=given)
        assert (python["exit_code"], python["output"], python["success"]) == (126, "", False), (given, python)


@row("kept outputs: exact bytes for their principal, nothing for another")
def kept():
    state = Scratch(None)
    # Two servers of one uid on one STATE_DIR: one serves the principal of a token, the other the local user.
    uid_settings = {**FREE, "OUTPUT_MAX_CHARS": "2000"}
    first = HttpClient(Server("http", {**uid_settings, "MCP_AUTH_TOKEN": "a-token-of-this-test"}), token="a-token-of-this-test")
    answer = first.bash("for i in $(seq 1 2000); do echo line $i; done; echo mistake >&2")
    assert answer["truncated"] and answer["omitted_bytes"] > 0, answer
    exact = "".join(f"line {i}\n" for i in range(1, 2001))
    kept_stream = [item for item in answer["kept"] if item["stream"] == "stdout"][0]
    assert kept_stream["bytes"] == len(exact), kept_stream
    uri = kept_stream["uri"]
    assert first.request("resources/read", {"uri": uri})["contents"][0]["text"] == exact
    read = first.call("file_read", {"path": uri, "limit": 3, "offset": 1999})
    assert "line 2000" in read["content"] or read["success"], read
    second = HttpClient(Server("http", {**uid_settings, "MCP_AUTH_TOKEN": "another-of-this-test"}), token="another-of-this-test")
    for client in (second, StdioClient(Server("stdio", uid_settings))):
        try:
            client.request("resources/read", {"uri": uri})
            raise AssertionError("another server read it")
        except Exception as failure:
            assert getattr(failure, "code", None) == -32002, failure
        assert client.call("file_read", {"path": uri})["success"] is False
    del state


@row("tools/list: at most 20 tools and 24 KB, descriptions below 2,000 bytes, schemas of the allowed words; golden")
def listed():
    allowed = {"type", "properties", "required", "enum", "default", "minimum", "maximum", "items", "additionalProperties", "description"}

    def check(schema, where):
        assert set(schema) <= allowed, (where, set(schema) - allowed)
        types = schema["type"] if isinstance(schema.get("type"), list) else [schema.get("type")]
        assert "array" not in types or "items" in schema, where
        for name, inner in schema.get("properties", {}).items():
            check(inner, f"{where}.{name}")
        for key in ("items", "additionalProperties"):
            if isinstance(schema.get(key), dict):
                check(schema[key], f"{where}.{key}")

    tools = connect().request("tools/list")["tools"]
    assert len(tools) <= 20 and len(json.dumps({"tools": tools}, separators=(",", ":"), ensure_ascii=False).encode()) <= 24 * 1024
    for tool in tools:
        assert 0 < len(tool["description"].encode()) < 2000 and tool["title"], tool["name"]
        assert set(tool["annotations"]) <= {"title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}, tool
        assert tool["inputSchema"]["type"] == "object", tool["name"]
        check(tool["inputSchema"], tool["name"])
        if "outputSchema" in tool:
            check(tool["outputSchema"], tool["name"] + " output")
    text = json.dumps(tools, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    if os.environ.get("CMCP_REGENERATE"):
        with open(GOLDEN, "w") as file:
            file.write(text)
    with open(GOLDEN) as file:
        assert file.read() == text, "tools/list is not tests/golden/tools.json; if that is meant: CMCP_REGENERATE=1 tests/e2e/workspaces.py tools/list"


if __name__ == "__main__":
    sys.exit(suite.main())
