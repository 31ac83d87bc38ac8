#!/usr/bin/env python3
"""killed.py [ROUNDS [SEED]]: kill -9 of one process at a random moment, during the start and during runs of bash and Python,
leaves nothing behind: no process, no mount, no namespace, no cgroup, no file. In turn it hits the server, the launcher's
supervisor, the launcher, pid 1 of its namespace, and the client (the program that started the server over stdio).

Where something survives by design it must go on serving: after the launcher's or its pid 1's death runs work again; after the
supervisor's they do for a server of an ordinary user, while one that was started as root ends with status 75.

What is left is found by descent, not by name: the test is a subreaper, so every orphan becomes its child. Started as root it
has a mount namespace and cgroups of its own, in which nobody else makes anything.
"""
import ctypes
import faulthandler
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from product import BINARY, fresh_uid, identity, wait_for  # noqa: E402

VICTIMS = ["server", "supervisor", "launcher", "pid 1", "client"]
PR_SET_CHILD_SUBREAPER = 36
CLONE_NEWNS = 0x00020000
MS_PRIVATE_EVERYWHERE = (1 << 18) | (1 << 14)
libc = ctypes.CDLL(None, use_errno=True)

# What the server is asked to do while it is hit: long runs, short runs, files in the workspace and in /tmp, grandchildren
# that have left the session. %s is the marker.
CALLS = [
    ("system_run_command", {"command": "setsid sleep 1000 & sleep 1000 # %s"}),
    ("system_run_command", {"command": "for i in $(seq 2000); do echo $i > /tmp/f$i; done; sleep 1000 # %s"}),
    ("system_run_command", {"command": "true # %s"}),
    ("system_run_python", {"code": "import subprocess\nsubprocess.Popen(['sleep', '1000'])\nwhile True: pass  # %s"}),
    ("system_run_python", {"code": "open('/tmp/x', 'w').write('x' * 1000000)  # %s\n_ = 1"}),
    ("file_write", {"path": "%s.txt", "content": "x" * 20000}),
]

CLIENT = r"""
import json, os, subprocess, sys
command, env, calls = json.loads(sys.argv[1])
server = subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=open(env["TEST_LOG"], "ab"))
print(server.pid, flush=True)
def send(message):
    try:
        server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        server.stdin.flush()
    except OSError:
        pass  # it has been killed
send({"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {},
      "clientInfo": {"name": "killed", "version": "1"}}})
send({"method": "notifications/initialized"})
for number, (tool, arguments) in enumerate(calls):
    send({"id": number + 2, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
for line in iter(sys.stdin.readline, ""):  # more calls, one JSON text a line; the answers go to standard output
    send(json.loads(line))
    for answer in server.stdout:
        if json.loads(answer).get("id") == json.loads(line)["id"]:
            print(answer.decode().strip(), flush=True)
            break
    else:
        print("null", flush=True)
try:
    server.stdin.close()
except OSError:
    pass
print("ended", server.wait(), flush=True)
"""


def own_world():
    """As root: a mount namespace and version 1 or 2 cgroups that are this test's alone. Returns the cgroup directories."""
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    if os.geteuid() != 0:
        return []
    if libc.unshare(CLONE_NEWNS) == 0:
        libc.mount(b"none", b"/", None, MS_PRIVATE_EVERYWHERE, None)
    made = []
    for line in open("/proc/self/cgroup"):
        _, controllers, path = line.strip().split(":", 2)
        # Version 1 alone: a cgroup of version 2 with a process in it cannot pass controllers on.
        if controllers not in ("memory", "pids"):
            continue
        for point in mount_points(controllers):
            own = point + path.rstrip("/") + f"/killed-test-{os.getpid()}"
            try:
                os.mkdir(own)
                with open(own + "/cgroup.procs", "w") as procs:
                    procs.write(str(os.getpid()))
                made.append(own)
            except OSError:
                pass
    return made


def mount_points(controller):
    for line in open("/proc/self/mountinfo"):
        before, after = line.split(" - ")
        if after.split()[0] == "cgroup" and controller in after.split()[2].split(","):
            yield before.split()[4]


def leave_world(cgroups):
    def gone(own):
        try:
            os.rmdir(own)
        except FileNotFoundError:
            pass
        except OSError:
            return False
        return True

    for own in cgroups:
        with open(os.path.dirname(own) + "/cgroup.procs", "w") as procs:
            procs.write(str(os.getpid()))
        wait_for(lambda: gone(own), f"an empty {own}")


def status_of(pid):
    with open(f"/proc/{pid}/stat", "rb") as stat:
        fields = stat.read().rsplit(b")", 1)[1].split()
    return fields[0].decode(), int(fields[1])


def living_below(pid, spare=()):
    """Descendants that are no zombies; zombies that are ours are reaped."""
    children = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                state, parent = status_of(int(entry))
            except (OSError, IndexError):
                continue
            if state == "Z" and parent == os.getpid() and int(entry) not in spare:
                try:
                    os.waitpid(int(entry), os.WNOHANG)
                except ChildProcessError:
                    pass
            elif state != "Z":
                children.setdefault(parent, []).append(int(entry))
    found, todo = [], [pid]
    while todo:
        below = children.get(todo.pop(), [])
        found += below
        todo += below
    return found


def child_of(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as children:
            found = children.read().split()
        return int(found[0]) if found else None
    except OSError:
        return None


def namespaces_of(pids):
    """The namespaces of these processes that are not ours."""
    found = set()
    for pid in pids:
        for kind in ("user", "mnt", "pid", "net", "ipc", "uts", "cgroup"):
            try:
                link = os.readlink(f"/proc/{pid}/ns/{kind}")
                if link != os.readlink(f"/proc/self/ns/{kind}"):
                    found.add(link)
            except OSError:
                continue
    return found


def all_processes():
    """(pid, start time) of every process: a pid may be used again, a namespace's number too."""
    found = set()
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat", "rb") as stat:
                    found.add((int(entry), int(stat.read().rsplit(b")", 1)[1].split()[19])))
            except (OSError, IndexError):
                continue
    return found


def cgroup_directories():
    """All directories of ours below every cgroup that a launcher here may use."""
    found = set()
    for line in open("/proc/self/cgroup"):
        _, controllers, path = line.strip().split(":", 2)
        points = [p for c in controllers.split(",") for p in mount_points(c)] if controllers else ["/sys/fs/cgroup"]
        for point in points:
            directory = point + path
            if os.path.isdir(directory):
                found |= {os.path.join(directory, name) for name in os.listdir(directory)
                          if name.startswith("container-mcp-")}
    return found


def mounts():
    with open("/proc/self/mountinfo") as mountinfo:
        return mountinfo.read()


class Round:
    def __init__(self, rng, number):
        self.rng = rng
        self.marker = f"killed-{os.getpid()}-{number}"
        self.uid = fresh_uid() if identity() == "user" and os.geteuid() == 0 else None
        self.scratch = tempfile.mkdtemp(prefix="cmcp-test-killed-")
        os.chmod(self.scratch, 0o755)
        if self.uid is not None:
            os.chown(self.scratch, self.uid, self.uid)
        self.cgroups_before = cgroup_directories()
        self.mounts_before = mounts()
        self.processes_before = all_processes()
        self.processes_hit = set()
        self.seen_namespaces = set()

    def start(self):
        env = {"PATH": "/usr/bin:/bin", "HOME": self.scratch, "SANDBOX_ROOT": self.scratch + "/sandbox",
               "STATE_DIR": self.scratch + "/state", "COMMAND_RESTRICTED": "false", "TEST_LOG": self.log_path()}
        for passed in ("ASAN_OPTIONS", "TSAN_OPTIONS"):
            if passed in os.environ:
                env[passed] = os.environ[passed]
        command = [BINARY, "--stdio"]
        if self.uid is not None:
            command = ["setpriv", "--reuid", str(self.uid), "--regid", str(self.uid), "--clear-groups", "--"] + command
        calls = [self.call() for _ in range(self.rng.randrange(1, 5))]
        import json
        self.client = subprocess.Popen([sys.executable, "-c", CLIENT, json.dumps([command, env, calls])],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.server = int(self.client.stdout.readline())

    def call(self):
        tool, arguments = self.rng.choice(CALLS)
        return tool, {name: value.replace("%s", self.marker) for name, value in arguments.items()}

    def log_path(self):
        return self.scratch + ".log"

    def log(self):
        with open(self.log_path(), errors="replace") as log:
            return log.read()

    def find(self, victim):
        """The victim's pid, once it exists. Names it by its place: server, supervisor, launcher, pid 1 are a chain."""
        if victim == "client":
            return self.client.pid
        pid = self.server
        for _ in range(VICTIMS.index(victim)):
            pid = wait_for(lambda at=pid: self.launcher_below(at), f"a {victim}")
        return pid

    @staticmethod
    def launcher_below(pid):
        """The child that is a launcher's process: a server has others for a moment."""
        try:
            with open(f"/proc/{pid}/task/{pid}/children") as children:
                for child in children.read().split():
                    with open(f"/proc/{child}/cmdline", "rb") as cmdline:
                        if b"cmcp-launcher" in cmdline.read():
                            return int(child)
        except OSError:
            return None
        return None

    def hit(self, victim):
        pid = self.find(victim)
        # From the first instant to well into the runs; most within the set-up.
        time.sleep(self.rng.choice([0, self.rng.uniform(0, 0.02), self.rng.uniform(0, 0.1), self.rng.uniform(0, 0.6)]))
        self.processes_hit = all_processes() - self.processes_before
        self.seen_namespaces = namespaces_of(living_below(os.getpid()))
        os.kill(pid, signal.SIGKILL)

    def ask(self, identifier, tool, arguments):
        import json
        request = {"id": identifier, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
        self.client.stdin.write(json.dumps(request).encode() + b"\n")
        self.client.stdin.flush()
        return json.loads(self.client.stdout.readline() or "null")

    def check_survivors(self, victim):
        """What must still serve does; what must end has. Then everything is told to end."""
        if victim == "client":
            return
        if victim == "server":
            self.expect_end(-signal.SIGKILL)
            return
        if victim == "supervisor" and self.uid is None and os.geteuid() == 0:
            self.expect_end(75)
            return
        answer = None
        for attempt in range(20):  # runs that were under way are told so; the next ones work
            answer = self.ask(1000 + attempt, "system_run_command", {"command": "echo alive"})
            if answer and '"stdout":"alive' in str(answer).replace("\\", "").replace(" ", ""):
                break
            time.sleep(0.05)
        else:
            raise AssertionError(f"no run after the death of {victim}: {answer}\n{self.log()}")
        if self.rng.random() < 0.5:
            os.kill(self.server, signal.SIGTERM)
        self.client.stdin.close()
        assert self.client.wait(60) == 0, self.log()

    def server_has_ended(self):
        try:
            with open(f"/proc/{self.server}/stat") as stat:
                return stat.read().rsplit(")", 1)[1].split()[0] in "ZX"
        except OSError:
            return True

    def expect_end(self, status):
        # Told to end only when it has noticed: a server that is told first ends in its ordinary way.
        wait_for(lambda: "launcher" in self.log() or self.server_has_ended(), "the server's notice of the death")
        self.client.stdin.close()
        words = self.client.stdout.read().split()
        # A victim of the start makes it fail in its own way: then the server says so, and ends or refuses runs.
        if words and words[-1] == str(status).encode():
            return
        failed = words and words[0] == b"ended" and words[-1] in (b"0", b"1")
        assert failed and "launcher" in self.log(), (words, status, self.log())

    def check_nothing_left(self):
        wait_for(lambda: not living_below(os.getpid(), (self.client.pid,)) or
                 living_below(os.getpid(), (self.client.pid,)) == [self.client.pid], "the end of every process")
        if self.client.poll() is None:
            self.client.stdin.close()
        self.client.wait(60)
        wait_for(lambda: not living_below(os.getpid()), "the end of the client")
        try:
            wait_for(lambda: not self.abandoned_cgroups(), "the removal of the cgroups")
        except AssertionError as problem:
            raise AssertionError(f"{problem}: {self.abandoned_cgroups()}")
        # A launcher whose outer process was killed is nobody's child while it dies.
        wait_for(lambda: not self.seen_namespaces & namespaces_of(pid for pid, _ in self.processes_hit & all_processes()),
                 "the end of the namespaces")
        assert mounts() == self.mounts_before or os.geteuid() != 0, "mounts left:\n" + mounts()
        assert "cmcp" not in mounts() and self.scratch not in mounts(), "mounts left:\n" + mounts()
        self.check_files()

    def abandoned_cgroups(self):
        """Other tests have servers, too: theirs are named after processes that live."""
        return {path for path in cgroup_directories() - self.cgroups_before
                if not os.path.exists("/proc/" + os.path.basename(path).split("-")[2])}

    def check_files(self):
        """In the workspace: what was asked for, whole, or nothing; no temporary files of an unfinished write."""
        for directory, _, files in os.walk(self.scratch + "/sandbox"):
            for name in files:
                path = os.path.join(directory, name)
                assert name == self.marker + ".txt", f"left in the workspace: {path}"
                assert os.path.getsize(path) == 20000, f"half a file: {path}"

    def clean(self):
        if self.client.poll() is None:
            self.client.kill()
        self.client.wait()
        shutil.rmtree(self.scratch, ignore_errors=True)
        if os.path.exists(self.log_path()):
            os.unlink(self.log_path())


def one_round(rng, number):
    victim = VICTIMS[number % len(VICTIMS)]
    if "-v" in sys.argv:
        print(f"round {number}: {victim}", flush=True)
    it = Round(rng, number)
    it.start()
    faulthandler.dump_traceback_later(150, exit=True)
    try:
        it.hit(victim)
        it.check_survivors(victim)
        it.check_nothing_left()
    except BaseException:
        print(f"killed: round {number}, victim {victim}\n{it.log()}", flush=True)
        raise
    finally:
        faulthandler.cancel_dump_traceback_later()
        it.clean()
    return victim


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 25
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 30)
    print(f"killed: {rounds} rounds, seed {seed}", flush=True)
    faulthandler.enable()
    rng = random.Random(seed)
    cgroups = own_world()
    held = {}
    try:
        for number in range(rounds):
            victim = one_round(rng, number)
            held[victim] = held.get(victim, 0) + 1
    finally:
        leave_world(cgroups)
    print("killed: nothing left after " + ", ".join(f"{count} x {victim}" for victim, count in held.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
