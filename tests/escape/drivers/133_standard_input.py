# case: 133
# title: standard input
# tries: reading to its end without and with `stdin`; poll, select and a read of 1 GB; input(), cat, ssh-like prompts; with stdio and HTTP
# expect: EOF at once, never the bytes of the protocol, never a wait
# layers: -
from outside import BOTH, run_program
from product import HttpClient, Server

READ = "import os, select, json\nready = bool(select.select([0], [], [], 5)[0])\nprint(json.dumps([ready, os.read(0, 1 << 20).decode(), os.read(0, 10).decode()]))"


def run(env):
    web = HttpClient(Server("http", env.settings, extra_env=env.switches))
    for client in (env.common(), web):
        python = client.python(READ)
        assert python["output"] == '[true, "", ""]\n', python
        python = client.python(READ, stdin="given\n")
        assert python["output"] == '[true, "given\\n", ""]\n', python
        assert "EOFError" in client.python("input()")["error"]
        shell = client.bash("cat; read -r line; echo \"$? [$line]\"; wc -c; python3 -c 'import sys; print(repr(sys.stdin.read()))'", timeout=60)
        assert shell["stdout"] == "1 []\n0\n''\n" and not shell["timed_out"], shell
        shell = client.bash("cat; echo; head -c 5 /dev/stdin | wc -c", stdin="given")
        assert shell["stdout"] == "given\n0\n", shell
        big = client.bash("sleep 0.2; true", stdin="x" * (1 << 20))  # nobody reads it
        assert big["success"], big
    web.server.stop()
    return "held", "EOF at once without `stdin`, what was given with it, over both transports"
