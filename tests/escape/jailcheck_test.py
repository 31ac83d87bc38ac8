#!/usr/bin/env python3
"""bin/jailcheck against our own server over every transport, against a server that confines nothing, and with mistakes of its
user. The real attacks run; a handful of cases each."""
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
sys.path.insert(0, HERE)
from escape import FREE  # noqa: E402
from product import BINARY, ROOT, Scratch, Server, fresh_uid, identity  # noqa: E402

JAILCHECK = os.path.join(ROOT, "bin", "jailcheck")
CASES = "1,11,42,50,74"


def jailcheck(*words, environment=None):
    """(exit status, the report or None, standard error)"""
    env = {"PATH": "/usr/bin:/bin", "HOME": Scratch().path, **(environment or {})}
    done = subprocess.run([sys.executable, JAILCHECK, "--json", "-", *words], capture_output=True, text=True, timeout=300, env=env,
                          cwd=env["HOME"], check=False)
    return done.returncode, json.loads(done.stdout) if done.stdout.strip() else None, done.stderr


def unconfined_server():
    """The words that start it as a uid without rights, whoever runs the test, from where that uid can read it."""
    place = os.path.join(Scratch().path, "unconfined_server.py")
    shutil.copy(os.path.join(HERE, "unconfined_server.py"), place)
    command = ["/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable, place]
    if os.geteuid() != 0:
        return command
    uid = str(fresh_uid())
    return ["setpriv", "--reuid", uid, "--regid", uid, "--clear-groups", "--", *command]


def own_server_over_http():
    server = Server("http", {**FREE, "MCP_AUTH_TOKEN": "a-token-of-this-test-123456"})
    bearer = ("--header", "Authorization: Bearer a-token-of-this-test-123456")
    for path in ("/mcp", "/sse"):
        status, report, errors = jailcheck("--case", CASES, *bearer, server.url + path)
        assert status == 0, (path, report, errors)
        assert report["target"]["tool"] == "system_run_command" and report["target"]["argument"] == "command", report["target"]
        held = report["summary"]["outcomes"]
        assert held["escaped"] == 0 and held["unclear"] == 0 and held["held"] == report["summary"]["attacks"] >= 6, held
        assert all(row["saw"] for row in report["attacks"]), report
    status, report, errors = jailcheck("--case", CASES, "--python", *bearer, server.url + "/mcp")
    assert status == 0 and report["target"]["tool"] == "system_run_python", (status, report, errors)
    assert report["summary"]["outcomes"]["held"] >= 5, report["summary"]
    status, _, errors = jailcheck("--case", "1", server.url + "/mcp")
    assert status == 2 and "this server needs a token" in errors, (status, errors)
    server.stop()


def own_server_over_stdio():
    uid = fresh_uid() if identity() == "user" and os.geteuid() == 0 else None
    scratch = Scratch(uid)
    environment = {**FREE, "HOME": scratch.make("home"), "SANDBOX_ROOT": os.path.join(scratch.path, "sandbox"),
                   "STATE_DIR": os.path.join(scratch.path, "state")}
    command = [BINARY, "--stdio"]
    if uid is not None:
        command = ["setpriv", "--reuid", str(uid), "--regid", str(uid), "--clear-groups", "--", *command]
    status, report, errors = jailcheck("--case", "4,42,63", "--", *command, environment=environment)
    assert status == 0, (report, errors)
    not_tried = [row["case"] for row in report["attacks"] if row["outcome"] == "not tried"]
    assert set(not_tried) == {4, 63}, not_tried
    held = [row["case"] for row in report["attacks"] if row["outcome"] == "held"]
    assert held.count(42) == 2 and 63 not in held, report


def nothing_confined():
    server = unconfined_server()
    status, report, errors = jailcheck("--case", "50,74", "--", *server)
    assert status == 1, (status, report, errors)
    assert report["target"]["tool"] == "run_anything" and report["target"]["argument"] == "script", report["target"]
    escaped = [row for row in report["attacks"] if row["outcome"] == "escaped"]
    assert [row["case"] for row in escaped] == [50] and escaped[0]["severity"] == "low", escaped
    assert "ADDR_NO_RANDOMIZE succeeded" in escaped[0]["saw"], escaped
    assert report["summary"]["worst"] == "low" and report["summary"]["escaped_cases"]["low"] == [50], report["summary"]
    # A killed program, a program that says nothing, a server that ends: no result is never "held".
    status, report, errors = jailcheck("--case", "50", "--tool", "says_nothing", "--", *server)
    assert status == 2 and "does not run a line of shell" in errors, (status, errors)


def mistakes():
    server = unconfined_server()
    for words, told in ((("--tool", "nothing", "--", *server), "there is no tool nothing; the server has: "),
                        (("--", "/nothing/here"), "/nothing/here"), (("--", "true"), "the server"),
                        (("http://127.0.0.1:9/mcp",), "http://127.0.0.1:9/mcp"), (("--header", "no colon", "http://x/"), "is no header")):
        status, _, errors = jailcheck(*words)
        assert status == 2 and told in errors and "Traceback" not in errors, (words, status, errors)


def main():
    for test in (own_server_over_http, own_server_over_stdio, nothing_confined, mistakes):
        test()
        print(f"passed: {test.__name__}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
