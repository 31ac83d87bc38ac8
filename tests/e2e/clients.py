#!/usr/bin/env python3
"""The table client x transport x (list, bash, python, write, read back), with the real clients from npm and PyPI.

clients.py --install    puts the clients into build/e2e (once; needs the registries)
clients.py              runs every row and prints the table; an empty cell fails. The rows are golden.
                        bin/test prints the copy that it leaves in build/e2e/table-IDENTITY.md.
clients.py WORD         only the rows that hold WORD
"""
import fcntl
import json
import os
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from product import BINARY, ROOT, Scratch, Server, fresh_uid, identity  # noqa: E402

INSTALLED = os.environ.get("CMCP_E2E_CLIENTS", os.path.join(ROOT, "build", "e2e"))
NODE = os.path.join(INSTALLED, "node")
CELLS = ["list", "bash", "python", "write", "read back"]
ROWS = [("sdk 1.x", "http"), ("sdk 1.x", "sse"), ("sdk 1.x", "stdio"), ("client 2.x", "http"), ("client 2.x", "sse"),
        ("client 2.x", "stdio"), ("Inspector", "http"), ("Inspector", "stdio"), ("mcp-remote", "http"), ("mcp-remote", "sse"),
        ("Python 1.x", "http"), ("Python 1.x", "sse"), ("Python 1.x", "stdio"), ("Python 2.x", "http"), ("Python 2.x", "stdio")]
EXPECTED_REVISION = {("client 2.x", "http"): "2026-07-28", ("client 2.x", "stdio"): "2026-07-28",
                     ("Python 2.x", "http"): "2026-07-28", ("Python 2.x", "stdio"): "2026-07-28"}


def install():
    os.makedirs(NODE, exist_ok=True)
    with open(os.path.join(INSTALLED, "lock"), "w") as lock:  # several build trees share them
        fcntl.flock(lock, fcntl.LOCK_EX)
        install_all()


def install_all():
    with open(os.path.join(HERE, "clients", "package.json")) as wanted:
        text = wanted.read()
    marker = os.path.join(NODE, "package.json")
    if not os.path.exists(os.path.join(NODE, "node_modules")) or open(marker).read() != text:
        with open(marker, "w") as out:
            out.write(text)
        subprocess.run(["npm", "install", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"], cwd=NODE, check=True)
    for name, requirement in (("python1", "mcp==1.30.0"), ("python2", "mcp==2.3.0")):
        where = os.path.join(INSTALLED, name)
        if not os.path.exists(os.path.join(where, "done")):
            subprocess.run([sys.executable, "-m", "venv", where], check=True)
            subprocess.run([os.path.join(where, "bin", "pip"), "-q", "install", requirement], check=True)
            open(os.path.join(where, "done"), "w").close()


def stdio_target(uid, scratch):
    env = {"PATH": "/usr/bin:/bin", "HOME": scratch.make("home"), "SANDBOX_ROOT": os.path.join(scratch.path, "sandbox"),
           "STATE_DIR": os.path.join(scratch.path, "state")}
    env.update({name: os.environ[name] for name in ("ASAN_OPTIONS",) if name in os.environ})
    command = [BINARY, "--stdio"]
    if uid is not None:
        command = ["setpriv", "--reuid", str(uid), "--regid", str(uid), "--clear-groups", "--"] + command
    return {"command": command, "env": env}


def environment():
    scratch = Scratch()
    return {"PATH": os.environ["PATH"], "HOME": scratch.make("home"), "MCP_REMOTE_CONFIG_DIR": scratch.make("remote")}


def run(command, stdin=None):
    done = subprocess.run(command, capture_output=True, text=True, timeout=180, env=environment(), cwd=NODE, input=stdin)
    if done.returncode != 0:
        raise RuntimeError(f"{command[:3]} ended with {done.returncode}: {done.stderr[-1500:]} {done.stdout[-500:]}")
    return done.stdout


def node_script(name):
    # Imports are looked up beside the script: it is copied to where the packages are.
    for file in ("scenario.mjs", name):
        with open(os.path.join(HERE, "clients", file)) as source, open(os.path.join(NODE, file), "w") as copy:
            copy.write(source.read())
    return os.path.join(NODE, name)


def inspector(kind, target):
    """The Inspector's CLI: one process a call."""
    base = ["node", os.path.join(NODE, "node_modules/.bin/mcp-inspector"), "--cli"]
    if kind == "http":
        base += [target["url"], "--transport", "http"]
    else:
        # The Inspector reads options behind the command as its own: a script of one word has none.
        script = os.path.join(Scratch().path, "server")
        with open(script, "w") as file:
            assignments = [shlex.quote(f"{name}={value}") for name, value in target["env"].items()]
            file.write("#!/bin/sh\nexec env " + " ".join(assignments + [shlex.quote(w) for w in target["command"]]) + "\n")
        os.chmod(script, 0o755)
        base += [script]

    def ask(*more):
        return json.loads(run(base + list(more) + ["--format", "json", "-q"]))

    def unwrap(answer):
        return answer.get("result", answer)

    def call(name, arguments):
        return json.loads(unwrap(ask("--method", "tools/call", "--tool-name", name, "--tool-args-json", json.dumps(arguments)))["content"][0]["text"])

    tools = [tool["name"] for tool in unwrap(ask("--method", "tools/list"))["tools"]]
    bash = call("system_run_command", {"command": "echo from-bash; pwd"})
    python = call("system_run_python", {"code": "print('from-python')\n_ = 6 * 7"})
    return {"list": "system_run_command" in tools and "file_move" in tools, "bash": bash["stdout"] == "from-bash\n/workspace\n",
            "python": python["output"] == "from-python\n" and python["result"] == 42,
            "write": call("file_write", {"path": "note.md", "content": "grüße\n"})["success"],
            "read back": call("file_read", {"path": "note.md"})["content"] == "grüße\n"}


def mcp_remote(kind, target):
    """mcp-remote bridges stdio to our HTTP transports: driven by the 1.x SDK over stdio, as a desktop client would."""
    command = ["node", os.path.join(NODE, "node_modules/.bin/mcp-remote"), target["url"], "--transport",
               "http-only" if kind == "http" else "sse-only"]
    bridged = {"command": command, "env": environment()}
    return json.loads(run(["node", node_script("sdk1.mjs"), "stdio", json.dumps(bridged)]).splitlines()[-1])


def row(client, kind):
    uid = fresh_uid() if identity() == "user" and os.geteuid() == 0 else None
    server = None
    if kind == "stdio":
        target = stdio_target(uid, Scratch(uid))
    else:
        server = Server("http")
        target = {"url": f"{server.url}/{'sse' if kind == 'sse' else 'mcp'}"}
    try:
        if client == "Inspector":
            return inspector(kind, target)
        if client == "mcp-remote":
            return mcp_remote(kind, target)
        if client.startswith("Python"):
            python = os.path.join(INSTALLED, "python1" if "1" in client else "python2", "bin", "python")
            output = run([python, os.path.join(HERE, "clients", "python_client.py"), kind, json.dumps(target)])
        else:
            output = run(["node", node_script("sdk1.mjs" if client.startswith("sdk") else "client2.mjs"), kind, json.dumps(target)])
        return json.loads(output.splitlines()[-1])
    finally:
        if server:
            server.stop()


def main():
    if sys.argv[1:] == ["--install"]:
        return install()
    empty = 0
    lines = []

    def say(line):
        lines.append(line + "\n")
        print(line, flush=True)

    say(f"| client | transport | {' | '.join(CELLS)} | revision |\n|{'---|' * (len(CELLS) + 3)}")
    for client, kind in ROWS:
        if len(sys.argv) > 1 and sys.argv[1] not in f"{client} {kind}":
            continue
        try:
            cells, failure = row(client, kind), ""
        except Exception as problem:  # one broken client must not hide the other rows
            cells, failure = {}, f"{type(problem).__name__}: {problem}"
        revision = cells.get("revision", "")
        marks = ["ok" if cells.get(cell) is True else "" for cell in CELLS]
        wanted = EXPECTED_REVISION.get((client, kind), "")
        wrong_revision = bool(wanted) and revision != wanted
        empty += marks.count("") + wrong_revision
        say(f"| {client} | {kind} | {' | '.join(marks)} | {revision}{' (expected ' + wanted + ')' if wrong_revision else ''} |")
        if failure:
            print(f"  {failure}", file=sys.stderr)
    say(f"clients as {identity()}: {len(ROWS)} rows, {empty} empty cells")
    if len(sys.argv) == 1:
        with open(os.path.join(INSTALLED, f"table-{identity()}.md"), "w") as table:
            table.writelines(lines)
    return 1 if empty else 0


if __name__ == "__main__":
    sys.exit(main())
