"""bash and Python through the product's own tools, in a unit with a delegated cgroup."""
import json

from steps import TOP, USER, delegated, output, step

PROGRAM = """
import json, sys
sys.path.insert(0, %r)
from product import connect
client = connect(settings={"COMMAND_RESTRICTED": "false", "PYTHON_MEMORY_LIMIT": "128"})
shell = client.bash("id -u; cat /proc/self/cgroup; echo kept > note.txt; uname -r")
code = client.python("print(open('note.txt').read() + str(6 * 7))")
much = client.python("x = bytearray(400 * 1024 * 1024)\\nx[::4096] = b'1' * len(x[::4096])")
forks = client.bash("for i in $(seq 300); do sleep 30 & done; wait", timeout=20)
print(json.dumps([shell, code, much, forks, client.server.stop()]))
""" % f"{TOP}/tests/support"


def check(user):
    command = delegated(["python3", "-c", PROGRAM], user=user)
    command[1:1] = ["-E", "CMCP_TEST_IDENTITY=" + ("user" if user else "root")]
    shell, code, much, forks, _ = json.loads(output(command).splitlines()[-1])
    assert shell.get("stdout", "").splitlines()[:2] == ["1000", "0::/"], shell
    assert code.get("output") == "kept\n42\n" or code.get("output") == "kept\n\n42\n", code
    assert (much["success"], much["limit"]) == (False, "memory"), much
    assert forks["limit"] == "processes", forks
    return "bash, Python, memory limit, process limit"


@step("smoke: root, cgroup v2", short=True)
def as_root():
    return check(None)


@step("smoke: user, cgroup v2", short=True)
def as_ordinary_user():
    return check(USER)
