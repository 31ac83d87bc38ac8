#!/usr/bin/env python3
"""Programs written against the original keep working: its test behaviours 1 to 23, and names and shapes of its eight tools
that exist here. The contract wins where the two differ (a refused command has exit code 126)."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from product import connect  # noqa: E402

rows = []


def behaviour(number):
    def register(function):
        rows.append((number, function))
        return function
    return register


def same(actual, expected):
    assert actual == expected, f"got {actual!r}, expected {expected!r}"


@behaviour(1)
def echo(c):
    result = c.bash("echo 'hello world'")
    same((result["stdout"].strip(), result["exit_code"], result["stderr"]), ("hello world", 0, ""))


@behaviour(2)
def pwd(c):
    result = c.bash("pwd")
    assert result["stdout"] and result["stderr"] == "", result


@behaviour(3)
def ls(c):
    same(c.bash("ls")["exit_code"], 0)


@behaviour(4)
def not_allowed(c):
    result = connect(settings={"BASH_ALLOWED_COMMANDS": "ls,cat,echo"}).bash("grep something")
    assert result["exit_code"] != 0 and "Command not allowed: grep" in result["stderr"], result


@behaviour(5)
def empty(c):
    for command in ("", "   "):
        result = c.bash(command)
        same(result["exit_code"], 1)
        assert "Empty command" in result["stderr"], result


@behaviour(6)
def sleep(c):
    result = c.bash("sleep 10")
    assert "Command not allowed: sleep" in result["stderr"] and result["exit_code"] != 0, result


@behaviour(7)
def configured(c):
    other = connect(settings={"BASH_TIMEOUT_DEFAULT": "1", "COMMAND_RESTRICTED": "false", "BASH_TIMEOUT_MAX": "2"})
    same(other.bash("sleep 30")["exit_code"], 124)
    assert other.bash("true", timeout=3)["refused"], "above BASH_TIMEOUT_MAX"


@behaviour(8)
def cat(c):
    c.call("file_write", {"path": "lines.txt", "content": "Line 1\nLine 2\nLine 3\n"})
    same(c.bash("cat lines.txt")["stdout"], "Line 1\nLine 2\nLine 3\n")


@behaviour(9)
def prints(c):
    result = c.python("print('Hello, world!')")
    same((result["output"].strip(), result["error"], result["result"]), ("Hello, world!", "", None))


@behaviour(10)
def underscore(c):
    result = c.python("_ = 42")
    same((result["output"], result["result"]), ("", 42))


@behaviour(11)
def imports(c):
    result = c.python("import math\ntotal = 0\nfor i in range(10):\n    total += math.sqrt(i)\n_ = total")
    assert abs(result["result"] - 19.306) < 0.001, result


@behaviour(12)
def timeout(c):
    result = c.python("import time\ntime.sleep(10)", timeout=1)
    assert "timed out" in result["error"], result


@behaviour(13)
def errors(c):
    assert "SyntaxError" in c.python("print('x'")["error"]
    assert "ZeroDivisionError" in c.python("def f():\n    return 1 / 0\nf()")["error"]


@behaviour(14)
def memory(c):
    result = connect(settings={"PYTHON_MEMORY_LIMIT": "128"}).python("big = [0] * 200_000_000\n_ = len(big)")
    assert result["result"] is None and "emory" in result["error"], result


@behaviour(15)
def python_configured(c):
    assert connect(settings={"PYTHON_TIMEOUT_DEFAULT": "1"}).python("import time; time.sleep(30)")["timed_out"]


@behaviour(16)
def write_read(c):
    content = "first é\nsecond\n"
    same(c.call("file_write", {"path": "w.txt", "content": content})["success"], True)
    result = c.call("file_read", {"path": "w.txt"})
    same((result["content"], result["size"], result["success"], result["error"]), (content, len(content.encode()), True, None))
    assert isinstance(result["modified"], (int, float)) and result["modified"] > 1e9, result


@behaviour(17)
def listing(c):
    fresh = connect()
    for path in ("file1.txt", "file2.txt", "subdir/file3.txt"):
        assert fresh.call("file_write", {"path": path, "content": "x"})["success"]
    entries = {e["name"]: e for e in fresh.call("file_list", {"path": "/"})["entries"]}
    same((entries["file1.txt"]["is_directory"], entries["subdir"]["is_directory"]), (False, True))
    assert "file2.txt" in entries
    same([e["name"] for e in fresh.call("file_list", {"path": "subdir"})["entries"]], ["file3.txt"])


@behaviour(18)
def traversal(c):
    for path in ("../outside.txt", "subdir/../../outside.txt"):
        for tool, more in (("file_read", {}), ("file_write", {"content": "x"}), ("file_delete", {})):
            result = c.call(tool, {"path": path, **more})
            assert not result["success"] and "Path traversal" in result["error"], result


@behaviour(19)
def absolute(c):
    same(c.call("file_write", {"path": "/etc/passwd", "content": "ours"})["success"], True)
    same(c.call("file_read", {"path": "/etc/passwd"})["content"], "ours")


@behaviour(20)
def size_limit(c):
    limited = connect(settings={"FILE_MAX_SIZE_MB": "1"})
    same(limited.call("file_write", {"path": "a.txt", "content": "x" * (1024 * 1024 - 10)})["success"], True)
    result = limited.call("file_write", {"path": "b.txt", "content": "x" * (1024 * 1024 + 1)})
    assert not result["success"] and "Content too large" in result["error"], result


@behaviour(21)
def extensions(c):
    limited = connect(settings={"FILE_ALLOWED_EXTENSIONS": "txt,md,py,json"})
    for name in ("a.txt", "a.md", "a.py", "a.json"):
        assert limited.call("file_write", {"path": name, "content": "x"})["success"], name
    for name in ("a.exe", "a.sh"):
        result = limited.call("file_write", {"path": name, "content": "x"})
        assert not result["success"] and "extension not allowed" in result["error"], result


@behaviour(22)
def delete(c):
    c.call("file_write", {"path": "gone.txt", "content": "x"})
    same(c.call("file_delete", {"path": "gone.txt"})["success"], True)
    assert "not found" in c.call("file_read", {"path": "gone.txt"})["error"]


@behaviour(23)
def move(c):
    c.call("file_write", {"path": "from.txt", "content": "x"})
    c.call("file_write", {"path": "to/other.txt", "content": "y"})
    same(c.call("file_move", {"source": "from.txt", "destination": "to/there.txt"})["success"], True)
    same(c.call("file_read", {"path": "to/there.txt"})["content"], "x")
    assert not c.call("file_read", {"path": "from.txt"})["success"]


SHAPES = {
    "system_run_command": ({"command": "echo x"}, {"stdout", "stderr", "exit_code", "success"}),
    "system_run_python": ({"code": "_ = 1"}, {"output", "error", "result", "success"}),
    "system_env_var": ({}, {"variables", "requested_var"}),
    "file_read": ({"path": "no.txt"}, {"content", "size", "modified", "success", "error"}),
    "file_write": ({"path": "s.txt", "content": "x"}, {"success", "path", "error"}),
    "file_list": ({}, {"entries", "path", "success", "error"}),
    "file_delete": ({"path": "no.txt"}, {"success", "path", "error"}),
    "file_move": ({"source": "no.txt", "destination": "n2.txt"}, {"success", "source", "destination", "error"}),
}


@behaviour("shapes")
def shapes(c):
    tools = {tool["name"]: tool for tool in c.request("tools/list")["tools"]}
    for name, (arguments, fields) in SHAPES.items():
        assert name in tools, name
        assert fields <= set(c.call(name, arguments)), name


@behaviour("aliases")
def aliases(c):
    listed = {tool["name"] for tool in c.request("tools/list")["tools"]}
    assert not any(name.startswith("fs_") for name in listed), listed
    assert c.call("fs_write", {"path": "alias.txt", "content": "x"})["success"]
    same(c.call("fs_read", {"path": "alias.txt"})["content"], "x")
    assert any(e["name"] == "alias.txt" for e in c.call("fs_list", {"path": "/"})["entries"])
    assert c.call("fs_move", {"source_path": "alias.txt", "destination_path": "alias2.txt"})["success"]
    assert c.call("fs_delete", {"path": "alias2.txt"})["success"]


@behaviour("failure has all fields")
def failure_fields(c):
    """success false carries every documented field: strings "", numbers 0, arrays [], else null."""
    tools = {tool["name"]: tool for tool in c.request("tools/list")["tools"]}
    calls = {"file_read": {"path": "no.txt"}, "file_write": {"path": "../x", "content": ""}, "file_list": {"path": "no"},
             "file_delete": {"path": "no.txt"}, "file_move": {"source": "no", "destination": "x.txt"}, "system_run_command": {"command": "id"}}
    for name, arguments in calls.items():
        result = c.call(name, arguments)
        same(result["success"], False)
        documented = set(tools[name].get("outputSchema", {}).get("properties", {}))
        assert documented <= set(result), (name, documented - set(result))


def main():
    client = connect()
    failed = 0
    for number, check in rows:
        try:
            check(client)
        except Exception as problem:
            failed += 1
            print(f"FAILED behaviour {number}: {type(problem).__name__}: {problem}")
    print(f"compatibility: {len(rows) - failed} of {len(rows)} held")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
