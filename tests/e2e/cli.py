#!/usr/bin/env python3
"""The program from the shell: version, help, config, doctor, call, what is refused, and how stdio ends."""
import json
import os
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from product import BINARY, PATIENCE, Scratch, Server, StdioClient, descendants, fresh_uid, identity, wait_for  # noqa: E402
from rows import Rows  # noqa: E402

suite = Rows("command line")
row = suite.row


def as_user():
    return fresh_uid() if identity() == "user" and os.geteuid() == 0 else None


def run(*arguments, settings=None, stdin=""):
    uid = as_user()
    scratch = Scratch(uid)
    env = {"PATH": "/usr/bin:/bin", "HOME": scratch.make("home"), "SANDBOX_ROOT": os.path.join(scratch.path, "sandbox"),
           "STATE_DIR": os.path.join(scratch.path, "state"), **(settings or {})}
    env.update({name: os.environ[name] for name in ("ASAN_OPTIONS", "TSAN_OPTIONS") if name in os.environ})
    command = [BINARY, *arguments]
    if uid is not None:
        command = ["setpriv", "--reuid", str(uid), "--regid", str(uid), "--clear-groups", "--", *command]
    return subprocess.run(command, env=env, cwd=scratch.path, capture_output=True, text=True, timeout=2 * PATIENCE, input=stdin)


def refused(done, *words, status=2):
    assert done.returncode == status and done.stdout == "", (done.returncode, done.stdout, done.stderr)
    assert done.stderr.startswith("container-mcp: ") and done.stderr.count("\n") == 1, done.stderr
    for word in words:
        assert word in done.stderr, (word, done.stderr)


@row("--version is one line")
def version():
    done = run("--version")
    assert done.returncode == 0 and done.stderr == "", done
    name, number = done.stdout.split()
    assert name == "container-mcp" and number.count(".") == 2 and done.stdout.count("\n") == 1, done.stdout


@row("--help names every command")
def help_text():
    for option in ("--help", "-h"):
        done = run(option)
        assert done.returncode == 0 and done.stderr == "", done
        for word in ("serve", "--stdio", "--test-mode", "doctor", "call TOOL", "config", "--config FILE", "--workspace", "--host", "--port"):
            assert word in done.stdout, word
        assert max(map(len, done.stdout.splitlines())) <= 110, done.stdout


@row("what does not exist is refused by name, with the nearest that does")
def unknown():
    refused(run("--stdoi"), "--stdoi", "--stdio", "--help")
    refused(run("docter"), "docter", "doctor")
    refused(run("--port"), "--port needs a value")
    refused(run("--json"), "--json", "doctor")
    refused(run("serve", "now"), "serve takes no argument")
    refused(run("--stdio", "--port", "9"), "--port")
    for word in ("ps", "kill", "audit", "--connect"):
        refused(run(word), f"not built yet: {word}")


@row("a bad setting stops every command that reads settings")
def bad_setting():
    for command in (["config"], ["doctor"], ["call", "file_list"], ["--stdio"], ["serve"]):
        refused(run(*command, settings={"MCP_PORT": "70000"}), "MCP_PORT", "70000")
    refused(run("serve", settings={"MCP_HOST": "0.0.0.0"}), "MCP_AUTH_TOKEN", "MCP_ALLOW_UNAUTHENTICATED")
    refused(run("--strict-config", "config", settings={"BASH_TIMEOUT_DEFUALT": "3"}), "BASH_TIMEOUT_DEFUALT", "BASH_TIMEOUT_DEFAULT")


@row("config shows values and origins, never a secret")
def config():
    done = run("config", settings={"MCP_AUTH_TOKEN": "hunter2-of-this-test", "BASH_TIMEOUT_DEFAULT": "17"})
    assert done.returncode == 0, done
    assert "hunter2" not in done.stdout + done.stderr, done.stdout
    assert "BASH_TIMEOUT_DEFAULT" in done.stdout and "17" in done.stdout, done.stdout
    for name in ("MCP_HOST", "SANDBOX_ROOT", "FILE_MAX_SIZE_MB", "TOOLS_ENABLE_FILE"):
        assert name in done.stdout, name


@row("doctor: text and JSON, level L3, every layer active")
def doctor():
    done = run("doctor")
    assert done.returncode == 0 and "L3" in done.stdout, (done.stdout, done.stderr)
    done = run("doctor", "--json")
    report = json.loads(done.stdout)
    assert done.returncode == 0 and report["level"] == "L3", done.stdout
    # The policy is a document: a change of it is a change of this file.
    settings = {"COMMAND_RESTRICTED": "false", "CMCP_TEST_NO_CGROUP": "1"}
    listed = run("doctor", "--seccomp", settings=settings).stdout
    golden = os.path.join(HERE, "..", "golden", "seccomp.txt")
    if os.environ.get("CMCP_WRITE_GOLDEN"):
        with open(golden, "w") as file:
            file.write(listed)
    with open(golden) as file:
        assert listed == file.read(), "doctor --seccomp differs from tests/golden/seccomp.txt; CMCP_WRITE_GOLDEN=1 writes it anew"
    profiles = json.loads(run("doctor", "--seccomp", "--json").stdout)
    assert set(profiles) == {"bash", "python"}, profiles.keys()
    answers = {line["call"]: line["answer"] for line in profiles["bash"]}
    assert answers["memfd_create"] == "EPERM" and answers["clone3"] == "ENOSYS" and answers["read"] == "allow"


@row("call prints the tool's object; its status says success")
def call():
    done = run("call", "system_run_python", '{"code":"_ = 6*7"}')
    assert done.returncode == 0 and json.loads(done.stdout)["result"] == 42 and done.stdout.count("\n") == 1, done
    done = run("call", "system_run_command", '{"command":"echo out; echo err >&2"}')
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["stdout"], answer["stderr"]) == (0, "out\n", "err\n"), done
    done = run("call", "system_run_command", '{"command":"exit 3"}')
    assert done.returncode == 1 and json.loads(done.stdout)["exit_code"] == 3, done
    done = run("call", "file_list")
    assert done.returncode == 0 and json.loads(done.stdout)["entries"] == [], done
    done = run("call", "file_read", '{"path":"none.txt"}')
    assert done.returncode == 1 and json.loads(done.stdout)["success"] is False, done
    done = run("call", "fs_write", '{"path":"a.txt","content":"x"}')
    assert done.returncode == 0 and json.loads(done.stdout)["created"] is True, done


@row("call refuses what is no call")
def bad_call():
    refused(run("call"), "needs the name of a tool")
    refused(run("call", "file_list", "{"), "not valid JSON")
    refused(run("call", "file_list", "{}", "{}"), "single quotes")
    refused(run("call", "file_lsit"), "file_lsit", "file_list", status=1)
    refused(run("call", "file_list", "[]"), "object", status=1)
    refused(run("call", "file_read", '{"paht":"x"}'), "paht", "path", status=1)


def ended_by_eof(client, before=lambda: None):
    below = client.server.descendants()
    before()
    client.server.process.stdin.close()
    assert client.server.process.wait(PATIENCE) == 0, "".join(client.server.log)
    wait_for(lambda: not any(alive(pid) for pid in below), "everything below the server to end")


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", "rb") as stat:
            return stat.read().rsplit(b")", 1)[1].split()[0] not in (b"Z", b"X")
    except OSError:
        return False


@row("stdio: the end of input ends the server and all below it")
def eof():
    ended_by_eof(StdioClient(Server("stdio")))
    ended_by_eof(StdioClient(Server("stdio"), revision=None))  # before any message


@row("stdio: the end of input ends a run that would go on for minutes")
def eof_during_run():
    client = StdioClient(Server("stdio", {"COMMAND_RESTRICTED": "false"}))
    client.start_call("system_run_command", {"command": "echo on > started; sleep 100", "timeout": 110})
    wait_for(lambda: os.path.exists(os.path.join(client.server.workspace, "started")), "the command to start")
    ended_by_eof(client)


@row("stdio: calls that are nearly done still answer after the end of input")
def eof_answers():
    client = StdioClient(Server("stdio"))
    wanted = [client.send("ping"), client.start_call("file_list", {})]
    client.server.process.stdin.close()
    assert client.wait(wanted[0]) == {} and "content" in client.wait(wanted[1])
    assert client.server.process.wait(PATIENCE) == 0


@row("stdio: half a message at the end of input is no reason to stay")
def eof_in_a_message():
    client = StdioClient(Server("stdio"))
    ended_by_eof(client, lambda: client.raw(b'{"jsonrpc":"2.0","id":9,"me'))


@row("stdio: a reader that is gone ends the server")
def reader_gone():
    client = StdioClient(Server("stdio"), revision=None)
    client.initialize()
    server = client.server
    below = server.descendants()
    # The read end is closed by the death of who holds it: here by a second start with the pipe given away.
    uid = as_user()
    scratch = Scratch(uid)
    read_end, write_end = os.pipe()
    env = {"PATH": "/usr/bin:/bin", "HOME": scratch.make("home"), "SANDBOX_ROOT": os.path.join(scratch.path, "sandbox"),
           "STATE_DIR": os.path.join(scratch.path, "state")}
    command = [BINARY, "--stdio"]
    if uid is not None:
        command = ["setpriv", "--reuid", str(uid), "--regid", str(uid), "--clear-groups", "--", *command]
    process = subprocess.Popen(command, env=env, cwd=scratch.path, stdin=subprocess.PIPE, stdout=write_end, stderr=subprocess.DEVNULL)
    os.close(write_end)
    os.close(read_end)
    process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    process.stdin.flush()
    process.wait(PATIENCE)
    process.stdin.close()
    server.stop()
    wait_for(lambda: not any(alive(pid) for pid in below), "everything below the server to end")


@row("stdio: SIGTERM and SIGINT end the server with input still open")
def signals():
    for number in (signal.SIGTERM, signal.SIGINT):
        client = StdioClient(Server("stdio"))
        below = descendants(client.server.process.pid)
        client.server.process.send_signal(number)
        assert client.server.process.wait(PATIENCE) == 0, number
        wait_for(lambda: not any(alive(pid) for pid in below), "everything below the server to end")


if __name__ == "__main__":
    sys.exit(suite.main())
