# case: 122
# title: tool arguments of megabytes
# tries: a command, code, standard input, a variable and a directory of 1 to 8 MiB
# expect: done, or refused with a message that names the argument; the server works on
# layers: -
import os

from product import RpcError

MIB = 1 << 20


def run(env):
    client, seen = env.common(), []
    calls = {"command 3 MiB": ("system_run_command", {"command": ": " + "x" * (3 * MIB)}),
             "command 130 KiB": ("system_run_command", {"command": "echo " + "x" * 130000 + " | wc -c"}),
             "code 8 MiB": ("system_run_python", {"code": "#" + "x" * (8 * MIB)}),
             "stdin 4 MiB": ("system_run_command", {"command": "wc -c", "stdin": "x" * (4 * MIB)}),
             "env 2 MiB": ("system_run_command", {"command": "echo ${#BIG}", "env": {"BIG": "x" * (2 * MIB)}}),
             "env of 20000": ("system_run_python", {"code": "1", "env": {f"N{n}": "x" * 200 for n in range(20000)}}),
             "working_dir 1 MiB": ("system_run_command", {"command": "pwd", "working_dir": "x/" * (MIB // 2)}),
             "path 1 MiB": ("file_read", {"path": "y/" * (MIB // 2)})}
    for name, (tool, arguments) in calls.items():
        try:
            result = client.call(tool, arguments, timeout=120)
            told = result.get("error") or result.get("stderr") or result.get("stdout") or ""
            assert result.get("success") or told, (name, str(result)[:500])
            assert len(str(told)) < 65536, f"{name}: the message repeats the argument"
            if result.get("refused"):
                assert name.split()[0] in told, (name, told[:300])
            seen.append(f"{name}: {'done' if result.get('success') else told[:100]}")
        except RpcError as failure:
            assert len(failure.message) < 65536
            seen.append(f"{name}: {failure.code} {failure.message[:100]}")
    assert client.bash("echo ok")["stdout"] == "ok\n"
    return "held", "; ".join(seen)
