"""bash and Python through the product's own tools, in a unit with a delegated cgroup."""
import json

from steps import TOP, USER, delegated_harness, output, step

PROGRAM = '''
import json, os, sys
sys.path.insert(0, %r)
from product import connect, wait_for
client = connect(settings={"COMMAND_RESTRICTED": "false", "PYTHON_MEMORY_LIMIT": "128"})
sandbox = client.request("tools/call", {"name": "system_run_command", "arguments": {"command": "true"}})["_meta"]["container-mcp/sandbox"]
shell = client.bash("id -u; cat /proc/self/cgroup; echo kept > note.txt; uname -r")
code = client.python("print(open('note.txt').read() + str(6 * 7))")
much = client.python("x = bytearray(400 * 1024 * 1024)\\nx[::4096] = b'1' * len(x[::4096])")
forks = client.python("""import os, time
made = 0
try:
    for _ in range(300):
        if os.fork() == 0:
            time.sleep(600)
        made += 1
except OSError:
    pass
made""", timeout=120)
own = [pid for pid in client.server.descendants() if open(f"/proc/{pid}/comm").read().startswith("cmcp-launch")]
cgroup = lambda pid: open(f"/proc/{pid}/cgroup").read().strip()
before = cgroup(client.server.process.pid)
os.kill(own[1], 9)
wait_for(lambda: own[1] not in client.server.descendants(), "the launcher's end")
wait_for(lambda: client.bash("echo again").get("stdout") == "again\\n", "another launcher", 120)
again = client.request("tools/call", {"name": "system_run_command", "arguments": {"command": "true"}})["_meta"]["container-mcp/sandbox"]
after = cgroup(client.server.process.pid)
print(json.dumps([sandbox, shell, code, much, forks, before, again, after, client.server.stop()]))
''' % f"{TOP}/tests/support"


def check(user):
    answers = json.loads(output(delegated_harness(["python3", "-c", PROGRAM], user)).splitlines()[-1])
    sandbox, shell, code, much, forks, before, again, after, _ = answers
    assert (sandbox["level"], again["level"]) == ("L3", "L3"), (sandbox, again)
    assert "v2" in sandbox["limiter"] and "v2" in again["limiter"], (sandbox, again)
    assert before == after and before.endswith("/container-mcp"), (before, after)
    assert shell.get("stdout", "").splitlines()[:2] == ["1000", "0::/"], shell
    assert code.get("output") == "kept\n42\n" or code.get("output") == "kept\n\n42\n", code
    assert (much["success"], much["limit"]) == (False, "memory"), much
    # The program lived on; its children were few, and none outlived it.
    assert 30 < forks["result"] < 100 and forks["killed_processes"] == forks["result"], forks
    return "bash, Python, memory limit, process limit, another launcher in the same cgroup"


@step("smoke: root, cgroup v2", short=True)
def as_root():
    return check(None)


@step("smoke: user, cgroup v2", short=True)
def as_ordinary_user():
    return check(USER)
