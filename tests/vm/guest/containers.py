"""The program inside Podman: with our flags everything holds; with less, doctor names the cause and what to do."""
import json
import os
import subprocess

from doctor import doctor, summary
from labels import denials, load, unload
from steps import BINARY, ENVIRONMENT, TOP, output, step

ROOT = "/var/lib/cmcp-root"
FILTER = f"{TOP}/deploy/seccomp/container-mcp.json"
DOCKER_LIKE = "/var/tmp/docker-like.json"
OUR_FLAGS = ["--user", "1000", "--cap-drop", "ALL", "--security-opt", "no-new-privileges",
             "--security-opt", "apparmor=container-mcp", "--security-opt", "unmask=ALL", "--security-opt", f"seccomp={FILTER}"]
SMOKE = """
import json, sys
sys.path.insert(0, %r)
from product import connect
client = connect(settings={"COMMAND_RESTRICTED": "false"})
print(json.dumps([client.bash("id -u; cat /proc/self/attr/apparmor/current; cat /proc/sysrq-trigger"),
                  client.python("print(6 * 7)")]))
""" % f"{TOP}/tests/support"


def make_root():
    """A root without an image: the machine's own /usr, and directories."""
    if os.path.isdir(ROOT):
        return
    for name in ("etc", "proc", "sys", "dev", "tmp", "run", "usr", "opt/cmcp", "var/tmp", "home"):
        os.makedirs(f"{ROOT}/{name}")
    for name in ("bin", "sbin", "lib", "lib64"):
        os.symlink(f"usr/{name}", f"{ROOT}/{name}")
    for name in ("passwd", "group", "ld.so.cache", "nsswitch.conf"):
        subprocess.run(["cp", f"/etc/{name}", f"{ROOT}/etc/{name}"], check=True)
    subprocess.run(["cp", "-a", "/etc/alternatives", f"{ROOT}/etc/"], check=True)


def podman(flags, command, environment=None):
    make_root()
    variables = []
    for name, value in {**ENVIRONMENT, "HOME": "/tmp", "SANDBOX_ROOT": "/tmp/sandbox", "STATE_DIR": "/tmp/state",
                        **(environment or {})}.items():
        variables += ["-e", f"{name}={value}"]
    return ["podman", "run", "--rm", "--network", "none", "--log-driver", "none", "-v", "/usr:/usr:ro", "-v", f"{TOP}:{TOP}:ro",
            "--tmpfs", "/tmp:rw,mode=1777,exec", *flags, *variables, "--rootfs", ROOT, *command]


def ask(flags):
    return doctor(podman(flags, [BINARY, "doctor", "--json"]))


def expect_refused(flags, cause, fix):
    """Below L3, with texts that name all of these words."""
    status, report = ask(flags)
    assert status != 0 and report["level"] != "L3", report
    told = [report["cause"] or "", report["fix"] or ""]
    told += [f"{layer['detail']} {layer['fix']}" for layer in report["layers"] if not layer["active"]]
    text = " ".join(told)
    for word in cause + fix:
        assert word in text, f"the report does not name {word}: {told[0]} | {told[1]} | {text[-600:]}"
    return f"{report['level']}: {report['cause']} Fix: {report['fix']}"


@step("podman: our flags, L3", short=False)
def ours():
    unload()
    load("--container")
    report = ask(OUR_FLAGS)[1]
    reasons = [f"{layer['name']}: {layer['detail']}" for layer in report["layers"] if not layer["active"]]
    assert report["level"] == "L3", f"{report['level']}: {report['cause']} {reasons} {denials()}"
    assert report["apparmor"]["active"], report["apparmor"]
    return summary(report)


@step("podman: our flags, bash and Python")
def smoke():
    text = output(podman(OUR_FLAGS, ["python3", "-c", SMOKE], {"CMCP_TEST_IDENTITY": "user"}))
    shell, code = json.loads(text.splitlines()[-1])
    first = shell["stdout"].splitlines()
    assert first[0] == "1000" and "container-mcp//bash" in first[1] and first[1].endswith("(enforce)"), shell
    assert code["output"] == "42\n", code
    return first[1]


@step("podman: our flags, root without capabilities, refused")
def container_root():
    """It may not give its directories to the user that it would become: refused at the start, before anything is served."""
    command = podman(["--user", "0"] + OUR_FLAGS[2:], [BINARY, "doctor", "--json"])
    done = subprocess.run(command, env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=900)
    assert done.returncode != 0 and "SANDBOX_ROOT" in done.stderr, f"{done.returncode} {done.stdout[-500:]} {done.stderr[-800:]}"
    return done.stderr.strip()[:200]


@step("podman: its defaults, refused with cause and fix")
def defaults():
    return expect_refused(["--user", "1000"], ["AppArmor", "containers-default"], ["apparmor=container-mcp"])


@step("podman: masked /proc, refused with cause and fix")
def masked():
    return expect_refused(["--user", "1000", "--security-opt", "apparmor=unconfined", "--security-opt", f"seccomp={FILTER}"],
                          ["/proc"], ["unmask=ALL"])


@step("podman: its own filter, refused with cause and fix")
def own_filter():
    """It allows namespaces, but not sethostname in them."""
    return expect_refused(["--user", "1000", "--security-opt", "apparmor=unconfined", "--security-opt", "unmask=ALL"],
                          ["seccomp", "sethostname"], ["seccomp=deploy/seccomp/container-mcp.json"])


@step("podman: AppArmor off and /proc unmasked, L3")
def unconfined():
    report = ask(["--user", "1000", "--security-opt", "apparmor=unconfined", "--security-opt", "unmask=ALL",
                  "--security-opt", f"seccomp={FILTER}"])[1]
    assert report["level"] == "L3", report["cause"]
    return summary(report)


@step("podman: a filter like Docker's, refused with cause and fix")
def docker_like():
    """clone with a namespace's flag is EPERM, clone3 does not exist, unshare and mount are EPERM."""
    with open(FILTER, encoding="utf-8") as file:
        rules = json.load(file)
    rules["defaultErrnoRet"] = 1
    rules["syscalls"] = [rule for rule in rules["syscalls"] if "unshare" not in rule["names"]]
    rules["syscalls"].append({"names": ["clone"], "action": "SCMP_ACT_ALLOW",
                              "args": [{"index": 0, "value": 0x7E020000, "valueTwo": 0, "op": "SCMP_CMP_MASKED_EQ"}]})
    rules["syscalls"].append({"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": 38})
    with open(DOCKER_LIKE, "w", encoding="utf-8") as file:
        json.dump(rules, file)
    return expect_refused(["--user", "1000", "--security-opt", "apparmor=unconfined", "--security-opt", "unmask=ALL",
                           "--security-opt", f"seccomp={DOCKER_LIKE}"], ["seccomp filter", "clone3"], ["seccomp=deploy/seccomp/container-mcp.json"])
