"""AppArmor: the profiles of deploy/apparmor on a kernel that enforces them."""
import json
import os
import re
import subprocess

from doctor import doctor
from steps import BINARY, ENVIRONMENT, TOP, USER, as_user, output, scratch, settings_of, step, with_environment

PROFILES = "/etc/apparmor.d/container-mcp"
CANARY = "/srv/canary"
# Runs anywhere; the switches and settings come by the environment.
PROGRAM = """
import json, os, sys
sys.path.insert(0, %r)
from product import connect
client = connect(settings={"COMMAND_RESTRICTED": "false", **json.loads(os.environ["CMCP_TEST_SETTINGS"])},
                 extra_env=json.loads(os.environ["CMCP_TEST_EXTRA"]))
shell = client.bash(os.environ["CMCP_TEST_COMMAND"])
code = client.python("print(open('/proc/self/attr/apparmor/current').read().strip())")
print(json.dumps([shell, code]))
""" % f"{TOP}/tests/support"


def load(*arguments):
    text = output([f"{TOP}/top-bin/apparmor-profile", *arguments])
    with open(PROFILES, "w", encoding="utf-8") as file:
        file.write(text)
    output(["apparmor_parser", "-r", "-K", PROFILES])


def unload():
    if os.path.exists(PROFILES):
        output(["apparmor_parser", "-R", PROFILES], expect=None)
        os.remove(PROFILES)


def loaded():
    with open("/sys/kernel/security/apparmor/profiles", encoding="utf-8") as file:
        return [line.strip() for line in file if line.startswith("container-mcp")]


def run(command, user=True, prefix=(), settings=None, switches=None):
    """(bash's result, Python's result) of a server started with `prefix`."""
    environment = {"CMCP_TEST_COMMAND": command, "CMCP_TEST_SETTINGS": json.dumps(settings or {}),
                   "CMCP_TEST_EXTRA": json.dumps(switches or {}), "CMCP_TEST_IDENTITY": "user" if user else "root"}
    start = with_environment([*prefix, "python3", "-c", PROGRAM], environment)
    lines = output(as_user(start) if user else start).splitlines()
    return json.loads(lines[-1])


def denials():
    """What the kernel's log holds of AppArmor, for the reader of a failure: the last ones, each once."""
    text = subprocess.run(["dmesg"], capture_output=True, text=True, check=False).stdout
    lines = [line.split('apparmor="DENIED"')[1] for line in text.splitlines() if 'apparmor="DENIED"' in line]
    told = dict.fromkeys(re.sub(r" (pid|comm)=\S+", "", line) for line in lines if "label not found" not in line)
    return "DENIED: " + " | ".join(list(told)[-8:])


def expect_label(results, label):
    shell, code = results
    assert shell.get("stdout", "").strip() == label.replace("%", "bash"), f"{shell} {denials()}"
    assert code.get("output", "").strip() == label.replace("%", "python"), f"{code} {denials()}"


def report(user=True, prefix=()):
    directory = scratch("labels", USER if user else None)
    if not user:
        directory = "/var/lib/cmcp-labels"
    command = with_environment([*prefix, BINARY, "doctor", "--json"], settings_of(directory))
    answer = doctor(as_user(command) if user else command)[1]
    reasons = [f"{layer['name']}: {layer['detail']}" for layer in answer["layers"] if not layer["active"]]
    assert answer["level"] == "L3", f"{answer['level']}: {answer['cause']} {reasons} {denials()}"
    return answer["apparmor"]


READ_LABEL = "cat /proc/self/attr/apparmor/current"


@step("apparmor: profiles not loaded, reported", short=True)
def not_loaded():
    unload()
    found = report()
    assert not found["active"] and "not loaded" in found["reason"], found
    expect_label(run(READ_LABEL), "unconfined")
    return found["reason"]


@step("apparmor: unconfined launcher, user", short=True)
def unconfined_user():
    load("/nowhere")
    assert any(line == "container-mcp//bash (enforce)" for line in loaded()), loaded()
    expect_label(run(READ_LABEL), "container-mcp//% (enforce)")
    found = report()
    assert found["label"] == "container-mcp//bash (enforce), container-mcp//python (enforce)", found
    return found["label"]


@step("apparmor: unconfined launcher, root", short=True)
def unconfined_root():
    expect_label(run(READ_LABEL, user=False), "container-mcp//% (enforce)")
    return report(user=False)["label"]


@step("apparmor: unconfined launcher, no_new_privs", short=True)
def unconfined_nnp():
    expect_label(run(READ_LABEL, prefix=("setpriv", "--no-new-privs")), "container-mcp//% (enforce)")


@step("apparmor: confined launcher, user", short=True)
def confined_user():
    unload()
    load("--confine", f"{TOP}/bin")
    results = run(READ_LABEL)
    stacked = results[0].get("stdout", "").strip()
    assert "container-mcp//&container-mcp//bash" in stacked or "container-mcp//bash//&container-mcp" in stacked, f"{results} {denials()}"
    assert stacked.endswith("(enforce)"), stacked
    return report()["label"]


@step("apparmor: confined launcher, root")
def confined_root():
    results = run(READ_LABEL, user=False)
    stacked = results[0].get("stdout", "").strip()
    assert "//&" in stacked and "container-mcp//bash" in stacked, f"{results} {denials()}"
    return report(user=False)["label"]


@step("apparmor: confined launcher, no_new_privs", short=True)
def confined_nnp():
    results = run(READ_LABEL, prefix=("aa-exec", "-p", "container-mcp", "--", "setpriv", "--no-new-privs"))
    stacked = results[0].get("stdout", "").strip()
    assert "//&" in stacked and "container-mcp//bash" in stacked, f"{results} {denials()}"
    found = report(prefix=("aa-exec", "-p", "container-mcp", "--", "setpriv", "--no-new-privs"))
    return found["label"]


@step("apparmor: work under the label")
def work():
    """Ordinary programs: git, gcc where they are installed, pipes, a job in the background, a script of the workspace."""
    command = ("set -e; printf 'int main(){return 7;}' > a.c; gcc a.c -o a; ./a || [ $? = 7 ]; git init -q r; cd r; "
               "git -c user.name=a -c user.email=b commit -q --allow-empty -m x; git log --oneline | wc -l; "
               "printf '#!/bin/sh\\necho script\\n' > s; chmod +x s; ./s; (sleep 0.1; echo late) & wait; echo x > /dev/shm/y; "
               "mktemp > /dev/null; ls -la /proc/self/fd > /dev/null; echo done > /dev/stderr")
    shell, _ = run(command, settings={"BASH_MEMORY_LIMIT": "512"})
    assert shell.get("stdout") == "1\nscript\nlate\n" and shell["stderr"] == "done\n", f"{shell} {denials()}"


@step("apparmor: alone stops what the other layers were left out of", short=True)
def alone():
    """Landlock and the own root are left out: the host's files lie open, but for the label. Without it they are read."""
    os.makedirs(os.path.dirname(CANARY), exist_ok=True)
    with open(CANARY, "w", encoding="utf-8") as file:
        file.write("CANARY\n")
    os.chmod(CANARY, 0o644)
    command = f"cat {CANARY}; cat /etc/hostname; echo x > /srv/new"
    switches = {"CMCP_TEST_DISABLE_LAYER": "mount_namespace,landlock"}
    settings = {"SANDBOX_REQUIRE": "L0"}
    unload()
    bare, _ = run(command, settings=settings, switches=switches)
    assert bare.get("stdout", "").splitlines() == ["CANARY", "vm"], bare
    load("/nowhere")
    held, _ = run(command, settings=settings, switches=switches)
    assert held.get("stdout", "").splitlines() == ["vm"], f"{held} {denials()}"
    assert "Permission denied" in held["stderr"], held
    return "read without the label, refused with it"


@step("apparmor: a label that cannot be taken stops the start", short=True)
def refused():
    """A launcher confined by a profile that allows no stacking, while ours are loaded."""
    narrow = "/etc/apparmor.d/narrow"
    with open(narrow, "w", encoding="utf-8") as file:
        file.write("abi <abi/3.0>,\nprofile narrow flags=(attach_disconnected) {\n capability,\n network,\n file,\n mount,\n umount,\n"
                   " pivot_root,\n signal,\n ptrace,\n unix,\n}\n")
    output(["apparmor_parser", "-r", "-K", narrow])
    directory = scratch("labels", USER)
    command = with_environment(["aa-exec", "-p", "narrow", "--", BINARY, "doctor", "--json"], settings_of(directory))
    status, answer = doctor(as_user(command))
    output(["apparmor_parser", "-R", narrow])
    assert status != 0 and answer["level"] == "L0", answer
    assert "container-mcp//bash" in answer["cause"] and "change_profile" in answer["cause"], answer["cause"]
    return answer["cause"][:160]
