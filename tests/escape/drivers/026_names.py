# case: 26
# title: names
# tries: NUL, newline, 255 and 256 bytes, invalid UTF-8, "..", absolute, 4096 deep, control characters, as paths of every file tool
# expect: handled or refused with a text; the server goes on
# layers: -
import os

BAD = ["a\0b", "\0", "..", "../x", "a/../../x", "/etc/passwd", "/", "", "x" * 256, "y" * 5000, "d/" * 4096 + "f", "../" * 4096, "a//b/./c/../..//../..",
       "~/x", "C:\\x", "\ud7ff\ufffe", "\u202etxt", "con\tn", "a\x7f\x1b[31m"]
MAKE = """import os
os.mkdir('n')
for name in (b'n/new\\nline', b'n/' + b'z' * 255, b'n/\\xff\\xfe\\x80', b'n/\\x1b[31m', b'n/ space ', b'n/-rf', b'n/\\xc0\\xaf'):
    open(name, 'w').close()
deep = os.getcwd()
os.mkdir('deep'); os.chdir('deep')
for _ in range(3000):
    os.mkdir('d'); os.chdir('d')
"""


def run(env):
    client = env.common()
    done = 0
    for path in BAD:
        for tool, arguments in (("file_read", {"path": path}), ("file_write", {"path": path, "content": "x"}), ("file_list", {"path": path}),
                                ("file_delete", {"path": path}), ("file_move", {"source": path, "destination": path + "2"}),
                                ("system_run_command", {"command": "pwd", "working_dir": path})):
            if tool == "file_list" and path in ("", "/"):
                continue  # the workspace itself
            try:
                answer = client.call(tool, arguments)
            except Exception as refusal:  # a JSON-RPC error names what is wrong
                answer = {"error": str(refusal)}
            assert "root:x" not in str(answer), (tool, path)
            assert answer.get("error") or answer.get("success") or answer.get("exit_code") == 0 or answer.get("stderr"), (tool, path[:40], answer)
            done += 1
    assert not os.path.lexists(os.path.join(env.workspace, "..", "x"))
    made = client.python(MAKE)
    assert made["success"], made
    listing = client.call("file_list", {"path": "n"})
    assert listing["success"], listing
    recursive = client.call("file_list", {"path": ".", "recursive": True})
    assert recursive.get("success") or recursive.get("error"), recursive
    for path in ("n", "deep"):
        gone = client.call("file_delete", {"path": path, "recursive": True})
        assert gone.get("success") and not os.path.lexists(os.path.join(env.workspace, path)), (path, gone)
    assert client.bash("echo ok")["stdout"] == "ok\n"
    return "held", f"{done} calls answered; odd names listed; 3000 levels removed"
