#!/usr/bin/env python3
"""Every limit of a run, reached on purpose through the product: that it holds, that the result names it, and that nothing
of it stays. A row each; each is bounded by itself to a few times the limit that it attacks."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import product  # noqa: E402
from attack_rows import AttackRows  # noqa: E402
from product import Server, StdioClient, identity, wait_for  # noqa: E402

MB = 1 << 20
FREE = {"COMMAND_RESTRICTED": "false", "FILE_ALLOWED_EXTENSIONS": "*"}
QUOTA = {**FREE, "WORKSPACE_QUOTA_MB": "8"}
NO_CGROUP = {"CMCP_TEST_NO_CGROUP": "1"}
suite = AttackRows("limits", FREE)
row = suite.row


def held(path):
    """(allocated bytes, inodes) below `path`, each inode once."""
    seen = {}
    for directory, names, files in os.walk(path):
        for name in names + files:
            info = os.lstat(os.path.join(directory, name))
            seen[info.st_ino] = info.st_blocks * 512
    return sum(seen.values()), len(seen)


def clean(client):
    assert client.bash("find . -mindepth 1 -delete; echo $?", timeout=60)["stdout"] == "0\n"


@row("disk: many files, bytes", QUOTA)
def disk_bytes(client):
    result = client.python("for i in range(200):\n    open(f'f{i}', 'wb').write(b'x' * (1 << 20))\n    import os, time\n"
                           "    os.sync() if i % 8 == 0 else None; time.sleep(0.02)", timeout=60)
    assert result["limit"] == "disk" and result["signal"] == "SIGKILL", result
    assert "disk space" in result["error"], result
    assert held(client.server.workspace)[0] < 200 * MB
    clean(client)
    assert client.bash("head -c 4000000 /dev/zero > f; echo $?")["stdout"] == "0\n"


@row("disk: a million empty files", {**FREE, "WORKSPACE_QUOTA_MB": "1"})
def disk_inodes(client):
    result = client.python("for i in range(1000000): open(f'f{i}', 'w').close()", timeout=100)
    assert result["limit"] == "disk", result
    assert held(client.server.workspace)[1] < 500000
    clean(client)


@row("disk: one large file", QUOTA)
def disk_one_file(client):
    # The largest file is what the workspace has left, but not less than /tmp may hold (64 MB).
    result = client.bash("head -c 100M /dev/zero > f")
    assert result["exit_code"] != 0 and result["limit"] == "disk" and "WORKSPACE_QUOTA_MB" in result["stderr"], result


@row("disk: holes and hard links take no room", QUOTA)
def disk_holes(client):
    result = client.bash("for i in $(seq 20); do truncate -s 30M hole$i; done; head -c 3M /dev/urandom > f; "
                         "for i in $(seq 20); do ln f link$i; done; sleep 1; echo done")
    assert result["stdout"] == "done\n" and result["limit"] is None, result
    result = client.bash("truncate -s 1T terabyte; echo $?")
    assert result["stdout"] != "0\n", result


@row("disk: files without a name, open", QUOTA)
def disk_unnamed(client):
    result = client.python("import os, time\nkept = []\nfor i in range(50):\n    f = open('f', 'wb'); os.unlink('f')\n"
                           "    f.write(b'x' * (1 << 20)); f.flush(); kept.append(f); time.sleep(0.05)\ntime.sleep(20)",
                           timeout=60)
    assert result["limit"] == "disk", result
    assert held(client.server.workspace)[0] < MB


@row("disk: files without a name, mapped", QUOTA)
def disk_mapped(client):
    result = client.python("import os, time, mmap\nkept = []\nfor i in range(50):\n    f = open('f', 'w+b'); os.unlink('f')\n"
                           "    f.write(b'x' * (1 << 20)); f.flush(); kept.append(mmap.mmap(f.fileno(), 0)); f.close()\n"
                           "    time.sleep(0.05)\ntime.sleep(20)", timeout=60)
    assert result["limit"] == "disk" or "result" in result and result["exit_code"] == 0, result


@row("disk: a workspace that holds too much may shrink, not grow", {**FREE, "WORKSPACE_QUOTA_MB": "4"})
def disk_over(client):
    with open(os.path.join(client.server.workspace, "old"), "wb") as old:
        old.write(os.urandom(30 * MB))
    with open(os.path.join(client.server.workspace, "old2"), "wb") as old:
        old.write(os.urandom(30 * MB))
    os.chmod(client.server.workspace, 0o777)
    client = StdioClient(Server("stdio", {**FREE, "WORKSPACE_QUOTA_MB": "4"}, workspace=client.server.workspace,
                                extra_env=client.switches))
    assert client.bash("cat old | wc -c; rm -f old2; echo x > small; echo ok")["stdout"].endswith("ok\n")
    result = client.python("import time\nfor i in range(100):\n    open(f'f{i}', 'wb').write(b'x' * (1 << 20))\n"
                           "    time.sleep(0.02)\ntime.sleep(20)", timeout=60)
    assert result["limit"] == "disk", result
    client.server.stop()


@row("disk: only the run that fills it is ended", QUOTA)
def disk_whose(client):
    quiet = client.start_call("system_run_command", {"command": "until [ -e /workspace/go ]; do sleep 0.1; done; echo lived",
                                                     "timeout": 100})
    result = client.python("import time\nfor i in range(100):\n    open(f'f{i}', 'wb').write(b'x' * (1 << 20))\n"
                           "    time.sleep(0.02)\ntime.sleep(20)", timeout=60)
    assert result["limit"] == "disk", result
    client.bash("rm -f f*; touch go")
    assert product.unpack(client.wait(quiet))["stdout"] == "lived\n"


@row("disk: a full /tmp and a full /dev/shm", {**FREE, "SANDBOX_TMP_MB": "4"})
def disk_tmp(client):
    for place in ("/tmp", "/dev/shm"):
        result = client.bash(f"head -c 200M /dev/zero > {place}/f")
        assert "No space left on device" in result["stderr"] and result["limit"] == "disk", result
        result = client.bash(f"cd {place} && for i in $(seq 100000); do : > f$i || exit 3; done")
        assert "No space left on device" in result["stderr"] and result["limit"] == "disk", result
    assert client.bash("head -c 1M /dev/zero > /tmp/f; echo $?")["stdout"] == "0\n"


@row("memory: pages of /tmp count", {**FREE, "SANDBOX_TMP_MB": "512", "BASH_MEMORY_LIMIT": "64"})
def memory_tmp(client):
    result = client.bash("head -c 300M /dev/zero > /tmp/f; sleep 3; ls -l /tmp/f")
    assert result["limit"] == "memory", result


@row("memory: pages of /tmp count without a cgroup", {**FREE, "SANDBOX_TMP_MB": "512", "BASH_MEMORY_LIMIT": "64"}, NO_CGROUP)
def memory_tmp_watched(client):
    memory_tmp(client)


@row("memory: memfd counts, or is refused")
def memory_memfd(client):
    result = client.python("import os, time\nkept = []\nfor i in range(40):\n    fd = os.memfd_create('x'); kept.append(fd)\n"
                           "    for _ in range(16): os.write(fd, b'x' * (1 << 20))\ntime.sleep(5)")
    assert result["limit"] == "memory" or "Operation not permitted" in str(result), result


@row("memory: shared between processes counts once", {**FREE, "PYTHON_MEMORY_LIMIT": "128"}, NO_CGROUP)
def memory_shared(client):
    result = client.python("import mmap, os, time\nm = mmap.mmap(-1, 60 << 20)\nm.write(b'x' * (60 << 20))\n"
                           "for _ in range(4):\n    if os.fork() == 0:\n        sum(m[::4096]); time.sleep(2); os._exit(0)\n"
                           "for _ in range(4): os.wait()\n_ = 'lived'", timeout=60)
    assert result.get("result") == "lived", result


@row("cpu: all processes together", {**FREE, "SANDBOX_CPU_SECONDS": "2"})
def cpu_total(client):
    result = client.bash("for i in 1 2 3 4; do (while :; do :; done) & done; wait", timeout=60)
    assert result["limit"] == "cpu", result


@row("time, output, open files")
def plain_limits(client):
    assert client.bash("sleep 60", timeout=1)["limit"] == "time"
    result = client.bash("head -c 300000 /dev/zero | tr '\\0' x")
    assert result["truncated"] and result["exit_code"] == 0 and result["limit"] is None, result
    result = client.python("import resource\nkept = []\ntry:\n    while True: kept.append(open('/dev/null'))\n"
                           "except OSError as error:\n    n, e = len(kept), error.errno\n    del kept\n_ = [n, e]")
    assert 900 < result["result"][0] < 1100 and result["result"][1] == 24, result


@row("processes: named where somebody counts refusals", {**FREE, "SANDBOX_MAX_PROCESSES": "20"})
def processes(client):
    result = client.bash("for i in $(seq 100); do sleep 20 & done; exit 5", timeout=60)
    assert "fork" in result["stderr"] and result["exit_code"] != 0, result
    limiters = {entry["limit"]: entry["limiter"] for entry in client.doctor["limits"]}
    assert result["limit"] == (None if limiters["processes"] == "rlimit" else "processes"), (result, limiters)


def our_cgroups(pids):
    found = []
    for directory, names, _ in os.walk("/sys/fs/cgroup"):
        for name in names:
            if any(f"container-mcp-{pid}" == name for pid in pids):
                found.append(os.path.join(directory, name))
    return found


@row("cgroups: reused by 200 runs, none left", {**FREE, "SANDBOX_MAX_RUNS": "2"})
def cgroup_pool(client):
    def slots(pids):
        return sorted(os.path.join(path, name) for path in our_cgroups(pids) for name in os.listdir(path)
                      if name.startswith("slot-"))
    pids = client.server.descendants()
    assert client.bash("true")["exit_code"] == 0
    both = [client.start_call("system_run_command", {"command": "sleep 0.2"}) for _ in range(2)]
    for call in both:
        client.wait(call)
    pids = sorted(set(pids + client.server.descendants()))
    before = slots(pids)
    for _ in range(100):
        both = [client.start_call("system_run_command", {"command": "true"}) for _ in range(2)]
        assert all(product.unpack(client.wait(call))["exit_code"] == 0 for call in both)
    assert slots(pids) == before, (before, slots(pids))
    has = {entry["limit"]: entry["limiter"] for entry in client.doctor["limits"]}["memory"].startswith("cgroup")
    assert bool(before) == has, (before, client.doctor["limits"])
    client.server.stop()
    wait_for(lambda: not our_cgroups(pids), "the cgroups to be removed")


def doctor(settings, switches, who):
    import json
    import subprocess
    server = Server("stdio", settings, extra_env=switches, who=who, wait=False)
    command = server.process.args[:-1] + ["doctor", "--json"]
    environment = {"PATH": "/usr/bin:/bin", "HOME": server.home, "SANDBOX_ROOT": server.root, "STATE_DIR": server.state,
                   **switches, **settings}
    server.stop()
    return json.loads(subprocess.run(command, env=environment, cwd=server.scratch.path, stdout=subprocess.PIPE,
                                     check=False).stdout)


@row("cgroups: a server in another pid namespace does not take them for abandoned")
def other_pid_namespace(client):
    import subprocess
    assert client.bash("echo ok")["stdout"] == "ok\n"
    # Without root there is no pid namespace to be had this simply; a neighbour must not disturb then either.
    outside = [] if identity() == "user" else ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child=KILL"]
    neighbour = Server("stdio", FREE, wait=False)
    arguments = neighbour.process.args
    neighbour.stop()
    environment = {"PATH": "/usr/bin:/bin", "HOME": neighbour.home, "SANDBOX_ROOT": neighbour.root, "STATE_DIR": neighbour.state}
    report = subprocess.run(outside + arguments[:-1] + ["doctor"], env=environment, capture_output=True, text=True, timeout=60)
    assert "Sandbox level L3" in report.stdout, report
    for _ in range(3):
        assert client.bash("echo ok").get("stdout") == "ok\n"


def attempt(attack, client, settings, switches):
    client.switches = switches
    if attack in (processes, cgroup_pool):
        client.doctor = doctor(settings, switches, identity())
    attack(client)


if __name__ == "__main__":
    sys.exit(suite.main(attack=attempt))
