#!/usr/bin/env python3
"""Programs that people run, through the product: that the filter, Landlock and the limits leave them what they need. A row
each. A program that is not installed is reported as skipped, with its name."""
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import product  # noqa: E402
from product import Server, StdioClient, identity  # noqa: E402

FREE = {"COMMAND_RESTRICTED": "false", "PYTHON_MEMORY_LIMIT": "768", "BASH_MEMORY_LIMIT": "1024",
        "BASH_TIMEOUT_MAX": "300", "PYTHON_TIMEOUT_MAX": "300"}
rows = []


class Missing(Exception):
    pass


def row(name, needs=()):
    def register(function):
        rows.append((name, needs, function))
        return function
    return register


def bash(client, script):
    result = client.bash("set -e\n" + script + "\necho worked", timeout=300)
    assert result["exit_code"] == 0 and result["stdout"].endswith("worked\n"), result
    return result


def python(client, code):
    result = client.python(code, timeout=300)
    assert result["exit_code"] == 0, result
    return result["result"]


@row("gcc: compile, link, run", ["gcc"])
def gcc(client):
    result = bash(client, "printf '#include <math.h>\\n#include <stdio.h>\\n#include <pthread.h>\\nvoid *f(void *p) { return p; }\\n"
                          "int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0);"
                          " printf(\"%%.0f\\\\n\", sqrt(1764.0)); }\\n' > a.c\ngcc -O2 -Wall a.c -o a -lm -pthread\n./a")
    assert "42\n" in result["stdout"], result


@row("git: init, commit, clone, gc", ["git"])
def git(client):
    bash(client, "git init -q r; cd r; git config user.email a@b; git config user.name a; echo x > f; git add f; git commit -qm one\n"
                 "cd ..; git clone -q r copy; cd copy; git log --oneline | grep -q one; git gc -q; git status --short\n"
                 "git worktree add -q ../tree; git -C ../tree fsck")


@row("node: file system, worker thread, child process", ["node"])
def node(client):
    bash(client, """cat > a.js <<'END'
const { Worker, isMainThread, parentPort } = require('worker_threads');
const fs = require('fs');
if (isMainThread) {
  fs.writeFileSync('out', 'text');
  require('child_process').execSync('true');
  new Worker(__filename).on('message', m => {
    const server = require('net').createServer(s => s.end('hi')).listen('/tmp/socket', () => {
      require('net').connect('/tmp/socket').on('data', d => {
        console.log(m, fs.readFileSync('out', 'utf8'), String(d));
        server.close();
      });
    });
  });
} else parentPort.postMessage(require('crypto').createHash('sha256').update('x').digest('hex').length);
END
node a.js > said
grep -q '^64 text hi$' said""")


@row("tar: pack, compress, unpack", ["tar"])
def tar(client):
    bash(client, "mkdir -p d/e; echo x > d/e/f; ln -s e/f d/l; ln d/e/f d/h; chmod 750 d/e; tar czf d.tgz d; rm -r d\n"
                 "tar xzf d.tgz; cat d/l d/h; test $(stat -c %a d/e) = 750; tar tzf d.tgz | wc -l")


@row("make: two jobs at a time", ["make"])
def make(client):
    bash(client, "printf 'all: a b c d\\n%%: ; @sleep 0.1; echo $@ > $@.out\\n' > Makefile; make -j2 all; cat a.out b.out c.out d.out")


@row("sqlite3: create, write ahead, select", ["sqlite3"])
def sqlite(client):
    result = bash(client, "sqlite3 db 'pragma journal_mode=wal; create table t(x); insert into t values (41), (1); select sum(x) from t'")
    assert "42\n" in result["stdout"], result


@row("ssh-keygen: an ed25519 key", ["ssh-keygen"])
def ssh_keygen(client):
    bash(client, "ssh-keygen -q -t ed25519 -N '' -f key; ssh-keygen -l -f key.pub | grep -q ED25519; test $(stat -c %a key) = 600")


@row("python: threads, processes, asyncio, sqlite3, ssl, shared memory between processes")
def standard_library(client):
    code = """
import asyncio, concurrent.futures, ctypes, hashlib, mmap, multiprocessing, os, socket, sqlite3, ssl, subprocess, tempfile, threading
def square(x): return x * x
with concurrent.futures.ThreadPoolExecutor(4) as pool: a = sum(pool.map(square, range(10)))
with multiprocessing.get_context("fork").Pool(2) as pool: b = sum(pool.map(square, range(10)))
async def child():
    p = await asyncio.create_subprocess_exec("echo", "hi", stdout=asyncio.subprocess.PIPE)
    return (await p.communicate())[0]
c = await child()
db = sqlite3.connect("p.db"); db.execute("create table t(x)"); db.execute("insert into t values (7)"); db.commit()
d = db.execute("select x from t").fetchone()[0]
e = ssl.create_default_context() is not None and hashlib.sha256(b"x").hexdigest()[:4]
f = subprocess.run(["cat"], input=b"in", capture_output=True, check=True).stdout
with tempfile.TemporaryDirectory() as t: g = os.path.isdir(t)
m = mmap.mmap(-1, 4096)
if os.fork() == 0: m[0:2] = b"ok"; os._exit(0)
os.wait()
s = socket.socket(socket.AF_UNIX); s.bind("/tmp/s"); s.listen()
k = socket.socket(socket.AF_UNIX); k.connect("/tmp/s"); s.accept()[0].send(b"z")
_ = [a, b, c.decode(), d, e, f.decode(), g, bytes(m[0:2]).decode(), k.recv(1).decode()]
"""
    assert python(client, code) == [285, 285, "hi\n", 7, "2d71", "in", True, "ok", "z"]


def numpy_directory():
    """numpy's wheel as PyPI has it for the sandbox's interpreter, installed once a build tree."""
    target = os.path.join(os.path.dirname(product.BINARY), "test-packages", "numpy")
    if os.path.isdir(os.path.join(target, "numpy")):
        return target
    interpreter = "/usr/bin/python3"
    venv = os.path.join(os.path.dirname(target), "venv")
    pip = [os.path.join(venv, "bin", "python"), "-m", "pip"]
    if subprocess.run([interpreter, "-m", "venv", venv], stdout=subprocess.DEVNULL, check=False).returncode != 0:
        raise Missing("no virtual environment can be made (python3-venv)")
    done = subprocess.run([*pip, "install", "-q", "--disable-pip-version-check", "--only-binary=:all:", "--target", target + ".new",
                           "numpy"], stderr=subprocess.PIPE, text=True, check=False, timeout=200)
    if done.returncode != 0:
        raise Missing("numpy cannot be fetched: " + done.stderr.strip()[-200:])
    os.rename(target + ".new", target)
    return target


@row("numpy: products of matrices, linear algebra, threads of its own")
def numpy(client):
    shutil.copytree(numpy_directory(), os.path.join(client.server.workspace, "packages"))
    code = """
import sys; sys.path.insert(0, "/workspace/packages")
import numpy as np
a = np.arange(250000, dtype=float).reshape(500, 500) / 1e5
b = np.linalg.inv(np.eye(500) + a @ a.T / 1e3)
_ = [round(float((np.ones((300, 300)) @ np.ones((300, 300))).sum())), bool(np.isfinite(b).all()), int(np.random.default_rng(1).integers(10) >= 0)]
"""
    assert python(client, code) == [27000000, True, 1]


def main():
    who = identity()
    # The filter is strictest where no cgroup counts memory; an ordinary user's server may have none anyway.
    modes = [("", {})] if who == "user" else [("", {}), (" without a cgroup", {"CMCP_TEST_NO_CGROUP": "1"})]
    failed = skipped = 0
    for mode, switches in modes:
        for name, needs, attempt in rows:
            if len(sys.argv) > 1 and not any(word in name for word in sys.argv[1:]):
                continue
            try:
                for program in needs:
                    if shutil.which(program, path="/usr/bin:/bin") is None:
                        raise Missing(program + " is not installed")
                client = StdioClient(Server("stdio", FREE, extra_env=switches))
                attempt(client)
                client.server.stop()
                print(f"works: {name} ({who}{mode})", flush=True)
            except Missing as missing:
                skipped += 1
                print(f"SKIPPED: {name} ({who}{mode}): {missing}", flush=True)
            except Exception as failure:  # every row is tried
                failed += 1
                print(f"FAILED: {name} ({who}{mode}): {type(failure).__name__}: {str(failure)[:900]}", flush=True)
    print(f"programs: {failed} failed, {skipped} skipped, of {len(rows) * len(modes)}")
    return 1 if failed else 77 if skipped else 0


if __name__ == "__main__":
    sys.exit(main())
