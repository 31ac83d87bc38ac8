#!/usr/bin/env python3
"""backends.py BACKEND [--list]: SANDBOX_BACKEND=BACKEND as its users meet it: what runs, what a program sees and what it leaves
behind, what the backend must refuse at the start. Started by the identity of the test; parts that need root to prepare the
machine (a program hidden, a user made known) use a mount namespace of their own and are the same for both."""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from product import BINARY, Scratch, connect, fresh_uid, identity, processes_with, wait_for  # noqa: E402

FREE = {"COMMAND_RESTRICTED": "false", "FILE_ALLOWED_EXTENSIONS": "*"}
ROWS = {}


def row(backend):
    def add(function):
        ROWS.setdefault(backend, []).append(function)
        return function
    return add


def settings_of(backend):
    return {**FREE, "SANDBOX_BACKEND": backend, **({"SANDBOX_REQUIRE": "L0"} if backend == "none" else {})}


def in_mount_namespace(prepare, uid, scratch):
    """The words that run a command after the script `prepare`, as root in a mount namespace of its own: what it mounts is seen
    by that command alone."""
    values = f"TEST_UID={uid or 0}; TEST_DIR={scratch.path}\n"
    return ["unshare", "--mount", "--propagation", "private", "sh", "-ec", values + prepare + '\nexec "$@"', "sh"]


def run_doctor(settings, prepare="", switches=None, form="--json", args=()):
    """(status, standard output, standard error) of `doctor` as the identity of this test; see in_mount_namespace()."""
    uid = fresh_uid() if identity() == "user" and os.geteuid() == 0 else None
    scratch = Scratch(uid)
    env = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "HOME": scratch.make("home"),
           "SANDBOX_ROOT": os.path.join(scratch.path, "sandbox"), "STATE_DIR": os.path.join(scratch.path, "state"),
           **(switches or {}), **settings}
    if "ASAN_OPTIONS" in os.environ:
        env["ASAN_OPTIONS"] = os.environ["ASAN_OPTIONS"]
    command = [BINARY, "doctor"] + ([form] if form else []) + list(args)
    if uid is not None:
        command = ["setpriv", "--reuid", str(uid), "--regid", str(uid), "--clear-groups", "--"] + command
    if prepare:
        command = in_mount_namespace(prepare, uid, scratch) + command
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, cwd=scratch.path)
    return done.returncode, done.stdout, done.stderr


def refused(settings, words, **more):
    """The start is refused: exit status, and every one of `words` in the reason; nothing was printed as if it had started."""
    status, out, err = run_doctor(settings, **more)
    assert status not in (0, None) and not out, (status, out, err)
    for word in words:
        assert word in err, (word, err)
    return err


# What every backend must do ---------------------------------------------------------------------------------------------------
def programs_run(client):
    result = client.bash("echo out; echo err >&2; exit 7")
    assert (result["stdout"], result["stderr"], result["exit_code"]) == ("out\n", "err\n", 7), result
    assert client.bash("cat", stdin="through\n")["stdout"] == "through\n"
    result = client.python("import sys\nprint(sys.version_info[0])\n_ = 6 * 7")
    assert result["success"] and result["output"].strip() == "3" and result["result"] == 42, result


def files_are_the_same(client):
    assert client.call("file_write", {"path": "there.txt", "content": "from the tool\n"})["success"]
    result = client.bash("cat there.txt && printf 'from bash\\n' > back.txt")
    assert result["stdout"] == "from the tool\n", result
    assert client.call("file_read", {"path": "back.txt"})["content"] == "from bash\n"
    result = client.python("open('py.txt', 'w').write('from Python')")
    assert result["success"], result
    assert client.call("file_read", {"path": "py.txt"})["content"] == "from Python"
    # Whoever made it: the tool may change and delete it.
    assert client.call("file_write", {"path": "back.txt", "content": "changed\n"})["success"]
    assert client.call("file_delete", {"path": "py.txt"})["success"]
    assert client.bash("cat back.txt; ls py.txt")["stdout"] == "changed\n"


def gone(marker):
    wait_for(lambda: not processes_with(marker), f"the end of every process with {marker}")


def everything_is_killed(client):
    marker = f"90{os.getpid()}1"
    result = client.bash(f"setsid sleep {marker} & (sleep {marker} &) ; sleep {marker}", timeout=1)
    assert result["timed_out"] and result["limit"] == "time" and result["exit_code"] == 124, result
    gone(marker)
    marker = f"90{os.getpid()}2"
    result = client.bash(f"setsid nohup sleep {marker} >/dev/null 2>&1 & (setsid sleep {marker} &) ; echo left")
    assert result["stdout"] == "left\n" and result["killed_processes"] >= 1, result
    gone(marker)
    marker = f"90{os.getpid()}3"
    call = client.start_call("system_run_command", {"command": f"setsid sleep {marker} & sleep {marker}", "timeout": 100})
    wait_for(lambda: len(processes_with(marker)) >= 2, "both sleeps")
    client.notify("notifications/cancelled", {"requestId": call})
    gone(marker)


def limits_hold(client):
    result = client.bash("yes 0123456789 | head -c 300000 | wc -c; ulimit -c; ulimit -n")
    assert result["stdout"].split() == ["300000", "0", "1024"], result
    result = client.bash("yes", timeout=1)
    assert result["timed_out"] and result["truncated"] and len(result["stdout"]) < 100000, result["stdout"][:100]
    # A flood that ends by itself: far more than SANDBOX_MAX_PROCESSES (64).
    flood = "n=0; for i in $(seq 150); do sleep 20 & n=$((n+1)); done 2>/dev/null; jobs -r | wc -l"
    result = client.bash(flood, timeout=30)
    assert "150" not in result["stdout"].split(), result


def environment_is_clean(client):
    result = client.bash("env | cut -d= -f1 | sort | tr '\\n' ' '")
    names = set(result["stdout"].split())
    assert "MARK_OF_THE_SERVER" not in names and "SANDBOX_BACKEND" not in names, names
    assert {"PATH", "HOME", "LANG"} <= names, names


def smoke(backend, **more):
    client = connect(settings=settings_of(backend), extra_env={"MARK_OF_THE_SERVER": "secret-4711"}, **more)
    for part in (programs_run, files_are_the_same, everything_is_killed, limits_hold, environment_is_clean):
        part(client)
        print(f"  held: {part.__name__}")
    return client


def report(backend, **more):
    status, out, err = run_doctor(settings_of(backend), **more)
    assert out, err
    found = json.loads(out)
    assert found["backend"] == backend, found
    return status, found


def no_trace_of_the_host(client):
    """What a sandboxed program may find out about those outside it: nothing by /proc, whoever built the sandbox."""
    # The searched word is written so that the search does not find itself.
    result = client.bash("cat /proc/1/environ /proc/1/mem /proc/1/maps 2>&1 | head -c 300; "
                         "grep -aslE 'secret-47[1]1|contai[n]er-mcp|oldroo[t]' /proc/*/environ /proc/*/cmdline /proc/mounts; "
                         "ls -A / | tr '\\n' ' '; ls -d /proc/[0-9]* | wc -l")
    lines = result["stdout"].splitlines()
    closed = {"Permission denied", "Operation not permitted", "No such file or directory"}
    assert {line.rsplit(": ", 1)[1] for line in lines[:3]} <= closed, lines
    assert len(lines) == 4, lines
    assert not {"oldroot", "newroot", "root", "home", "b", "n", "t", "w"} & set(lines[3].split()), lines
    assert int(lines[3].split()[-1]) <= 4, lines
    fds = client.bash("ls /proc/self/fd | tr '\\n' ' '")["stdout"].split()
    assert fds == ["0", "1", "2", "3"], fds  # 3 is that of ls itself


# bwrap ------------------------------------------------------------------------------------------------------------------------
@row("bwrap")
def bwrap_smoke():
    client = smoke("bwrap")
    no_trace_of_the_host(client)
    meta = client.request("tools/call", {"name": "system_run_command", "arguments": {"command": "true"}})["_meta"]
    sandbox = meta["container-mcp/sandbox"]
    assert sandbox["backend"] == "bwrap" and sandbox["level"] == "L3", sandbox


@row("bwrap")
def bwrap_level():
    status, found = report("bwrap")
    missing = [layer["name"] for layer in found["layers"] if not layer["active"]]
    assert status == 0 and found["level"] == "L3" and not missing, found
    assert found["backend_version"].count(".") == 2, found
    _, text, _ = run_doctor(settings_of("bwrap"), form="")
    assert f"bwrap {found['backend_version']}" in text, text


@row("bwrap")
def bwrap_links_in_the_workspace():
    """CVE-2026-87766: links that a program leaves in the workspace lead bubblewrap nowhere, whatever they are called."""
    outside = Scratch().path
    os.chmod(outside, 0o777)
    client = connect(settings=settings_of("bwrap"))
    names = "tmp dev proc etc workspace newroot oldroot data usr null shm sys kcore there"
    made = client.bash(f"for n in {names}; do ln -s /oldroot{outside}/$n $n; ln -s {outside}/$n x$n; done; ls | wc -l")
    assert made["stdout"].strip() == str(2 * len(names.split())), made
    for _ in range(3):
        assert client.bash("echo again")["stdout"] == "again\n"
        assert client.python("_ = 1")["result"] == 1
    assert os.listdir(outside) == [], os.listdir(outside)


@row("bwrap")
def bwrap_layers_stand_alone():
    """With one of our own layers left out the probe notices it in bubblewrap's sandboxes too."""
    for layer in ("seccomp", "landlock", "memory_limit", "process_limit"):
        status, out, _ = run_doctor(settings_of("bwrap"), switches={"CMCP_TEST_DISABLE_LAYER": layer})
        inactive = [entry["name"] for entry in json.loads(out)["layers"] if not entry["active"]]
        assert status != 0 and layer in inactive, (layer, inactive)


@row("bwrap")
def bwrap_refused():
    refused(settings_of("bwrap"), ["SANDBOX_BACKEND=bwrap", "/usr/bin/bwrap", "package bubblewrap"],
            prepare=HIDDEN)
    refused(settings_of("bwrap"), ["set-uid", "chmod u-s"], prepare=SETUID_BWRAP + instead_of("bwrap"))
    refused(settings_of("bwrap"), ["bubblewrap 0.4.1", "0.5.0 or later"], prepare=OLD_BWRAP + instead_of("bwrap"))


@row("bwrap")
def bwrap_workspace_below_workspace():
    scratch = Scratch()
    for name in ("one", "two"):
        os.makedirs(os.path.join(scratch.path, name))
    os.makedirs(os.path.join(scratch.path, "one", "sub"))
    os.chmod(os.path.join(scratch.path, "one"), 0o777)
    refused(settings_of("bwrap"), ["workspace sub", "Serve one workspace without a name"],
            args=("--workspace", f"{scratch.path}/one", "--workspace", f"sub={scratch.path}/two"))


# firejail+native --------------------------------------------------------------------------------------------------------------
# Firejail works for users that /etc/passwd names.
KNOWN_USER = """
if [ "$TEST_UID" != 0 ]; then
  { cat /etc/passwd; echo "cmcptest:x:$TEST_UID:$TEST_UID::$TEST_DIR/home:/bin/sh"; } > "$TEST_DIR/passwd"
  { cat /etc/group; echo "cmcptest:x:$TEST_UID:"; } > "$TEST_DIR/group"
  mount --bind "$TEST_DIR/passwd" /etc/passwd
  mount --bind "$TEST_DIR/group" /etc/group
fi
"""
# What a container looks like to Firejail: a pid namespace in which no process of the kernel is among the first ten.
LIKE_A_CONTAINER = KNOWN_USER + 'set -- unshare --fork --pid --mount-proc --kill-child=KILL -- "$@"'
FIREJAIL = "firejail+native"


@row(FIREJAIL)
def firejail_smoke():
    client = smoke(FIREJAIL, wrap=lambda uid, scratch: in_mount_namespace(KNOWN_USER, uid, scratch))
    no_trace_of_the_host(client)
    meta = client.request("tools/call", {"name": "system_run_command", "arguments": {"command": "true"}})["_meta"]
    sandbox = meta["container-mcp/sandbox"]
    assert sandbox["backend"] == FIREJAIL and sandbox["level"] == "L3", sandbox
    # Both fences are around a payload: Firejail's filter and ours.
    assert client.bash("grep -c . /dev/null; grep Seccomp_filters /proc/self/status")["stdout"].split()[-1] >= "2"
    below = client.server.descendants()
    assert len(below) >= 3, below
    client.server.kill()
    wait_for(lambda: not [pid for pid in below if os.path.exists(f"/proc/{pid}")], "the end of Firejail and the launcher")


@row(FIREJAIL)
def firejail_effect():
    status, found = report(FIREJAIL, prepare=KNOWN_USER)
    missing = [layer["name"] for layer in found["layers"] if not layer["active"]]
    assert status == 0 and found["level"] == "L3" and not missing, found
    effects = found["backend_effects"]
    for wanted in ("mount namespace", "pid namespace", "network namespace", "no_new_privs", "seccomp filters", "bounding set"):
        assert any(wanted in effect for effect in effects), (wanted, effects)
    assert found["backend_version"] >= "0.9.72", found["backend_version"]


@row(FIREJAIL)
def firejail_after_a_death():
    """Whichever process of the launcher is killed: the next runs are within Firejail again."""
    client = connect(settings=settings_of(FIREJAIL), wrap=lambda uid, scratch: in_mount_namespace(KNOWN_USER, uid, scratch))
    filters = client.bash("grep Seccomp_filters /proc/self/status")["stdout"]
    killed = set()
    for victim in (-1, 1):
        launchers = [pid for pid in client.server.descendants() if comm(pid) == "cmcp-launcher"]
        assert len(launchers) == 3, launchers
        os.kill(launchers[victim], 9)
        killed.add(launchers[victim])
        again = wait_for(lambda: works(client, "grep Seccomp_filters /proc/self/status"), "a run after the death")
        assert again == filters, (again, filters)
    assert not killed & set(client.server.descendants())


def comm(pid):
    try:
        with open(f"/proc/{pid}/comm") as file:
            return file.read().strip()
    except OSError:
        return ""


def works(client, command):
    result = client.bash(command)
    return result.get("stdout") if not result.get("refused") and result.get("success") else None


@row(FIREJAIL)
def firejail_in_a_container():
    """The silent no-op: noticed before the start, and, that check left out, by comparing what Firejail did."""
    refused(settings_of(FIREJAIL), ["this is a container", "SANDBOX_BACKEND=native"], prepare=LIKE_A_CONTAINER)
    refused(settings_of(FIREJAIL), ["this is a container"], prepare=KNOWN_USER, switches={"CMCP_TEST_CONTAINER": "1"})
    refused(settings_of(FIREJAIL), ["did not confine it", "mount namespace is the server's", "no_new_privs is not set",
                                    "no seccomp filter", "bounding set is what it was"],
            prepare=LIKE_A_CONTAINER, switches={"CMCP_TEST_NO_CONTAINER_CHECK": "1"})


@row(FIREJAIL)
def firejail_that_does_nothing():
    """A program of that name which runs the command and no more."""
    fake = ('printf \'#!/bin/sh\nwhile [ "$1" != -- ]; do [ "$1" = --version ] && { echo firejail version 0.9.99; exit; }; shift; '
            'done; shift; exec "$@"\n\' > "$TEST_DIR/fake"; chmod 4755 "$TEST_DIR/fake"\n')
    refused(settings_of(FIREJAIL), ["did not confine it", "pid namespace is the server's"],
            prepare=KNOWN_USER + fake + instead_of("firejail"))


@row(FIREJAIL)
def firejail_refused():
    refused(settings_of(FIREJAIL), ["/usr/bin/firejail", "package firejail"], prepare=KNOWN_USER + HIDDEN)
    old = ('printf \'#!/bin/sh\necho firejail version 0.9.64\n\' > "$TEST_DIR/fake"; chmod 4755 "$TEST_DIR/fake"\n')
    refused(settings_of(FIREJAIL), ["firejail 0.9.64 is too old", "0.9.72"], prepare=KNOWN_USER + old + instead_of("firejail"))
    if identity() == "user":
        refused(settings_of(FIREJAIL), ["/etc/passwd has no user"])
        refused(settings_of(FIREJAIL), ["no_new_privs", "NoNewPrivileges=no"],
                prepare=KNOWN_USER + 'set -- setpriv --no-new-privs -- "$@"')
        plain = 'cp /bin/true "$TEST_DIR/fake"; chmod 755 "$TEST_DIR/fake"\n'
        refused(settings_of(FIREJAIL), ["not set-uid root"], prepare=KNOWN_USER + plain + instead_of("firejail"))


# A directory cannot lose one file by a mount, so it is shown as a directory of links to all others.
HIDDEN = """
mkdir -p "$TEST_DIR/real" "$TEST_DIR/shown"
mount --bind /usr/bin "$TEST_DIR/real"
for f in "$TEST_DIR/real"/*; do ln -s "$f" "$TEST_DIR/shown/"; done
rm -f "$TEST_DIR/shown/bwrap" "$TEST_DIR/shown/firejail"
mount --bind "$TEST_DIR/shown" /usr/bin
"""


def instead_of(program):
    """The file fake in the test's directory stands where the program is."""
    return f'mount --bind "$TEST_DIR/fake" /usr/bin/{program}\n'


SETUID_BWRAP = 'cp /usr/bin/bwrap "$TEST_DIR/fake"; chmod u+s "$TEST_DIR/fake"\n'
OLD_BWRAP = 'printf \'#!/bin/sh\\necho bubblewrap 0.4.1\\n\' > "$TEST_DIR/fake"; chmod 755 "$TEST_DIR/fake"\n'


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(ROWS))
        return 0
    if os.geteuid() != 0:
        # The preparations mount; the identity "user" is a uid that root starts.
        print("backends.py is started by root; CMCP_TEST_IDENTITY=user starts the server as a fresh uid")
        return 77
    for function in ROWS[sys.argv[1]]:
        function()
        print(f"held: {function.__name__}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
