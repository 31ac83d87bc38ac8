"""What the steps inside the machine share: results over the second serial line, programs as other users."""
import json
import os
import subprocess
import time

TOP = "/opt/cmcp"
BINARY = f"{TOP}/bin/container-mcp"
USER = 1000
ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "CMCP_BINARY": BINARY,
               "PYTHONDONTWRITEBYTECODE": "1", "CMCP_TEST_PATIENCE": "400"}
STEPS = []  # (name, is part of the short form, function)


def step(name, short=False):
    """Registers a step; its function returns a line of detail or raises."""
    def register(function):
        STEPS.append((name, short, function))
        return function
    return register


class Results:
    def __init__(self, path="/dev/ttyS1"):
        self.file = open(path, "w", encoding="utf-8")

    def send(self, **entry):
        self.file.write(json.dumps(entry) + "\n")
        self.file.flush()

    def note(self, text):
        self.send(note=text)


def execute(name, function, results):
    """Runs one step and tells its end."""
    began = time.monotonic()
    held, detail = True, ""
    try:
        detail = function() or ""
    except Exception as problem:  # every step is tried
        held, detail = False, f"{type(problem).__name__}: {problem}"
    results.send(step=name, held=held, detail=str(detail)[-3500:], seconds=round(time.monotonic() - began, 1))
    return held


def output(command, environment=None, timeout=1200, expect=0, **more):
    """Standard output of a command that must end with `expect` (None: any status)."""
    done = subprocess.run(command, env={**ENVIRONMENT, **(environment or {})}, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, errors="replace", timeout=timeout, **more)
    if expect is not None and done.returncode != expect:
        raise AssertionError(f"{' '.join(command[:9])}… ended with {done.returncode}: {done.stdout[-1500:]} {done.stderr[-2000:]}")
    return done.stdout


def delegated(command, user=None, properties=()):
    """`command` as a transient service of systemd with a delegated cgroup, as root or as an ordinary user."""
    unit = ["systemd-run", "--quiet", "--wait", "--pipe", "--collect", "-p", "Delegate=yes"]
    for name, value in ENVIRONMENT.items():
        unit += ["-E", f"{name}={value}"]
    for name in properties:
        unit += ["-p", name]
    if user is not None:
        unit += ["-p", f"User={user}", "-p", f"Group={user}"]
    return unit + list(command)


def delegated_harness(command, user):
    """The same for a program that starts servers: it moves into a leaf, and each server begins in a cgroup of its own, as in a
    unit of its own."""
    variables = {"CMCP_TEST_IDENTITY": "user" if user else "root", "CMCP_BINARY": f"{TOP}/tests/vm/guest/own_cgroup.sh"}
    return delegated([f"{TOP}/tests/vm/guest/into_leaf.sh", *with_environment(command, variables)], user=user)


def as_user(command):
    return ["setpriv", "--reuid", str(USER), "--regid", str(USER), "--clear-groups", "--"] + list(command)


def scratch(name, owner=None):
    """A fresh directory below /var/tmp that `owner` may write."""
    path = f"/var/tmp/cmcp-{name}"
    subprocess.run(["rm", "-rf", path], check=True)
    os.makedirs(path)
    if owner is not None:
        os.chown(path, owner, owner)
    return path


def settings_of(directory):
    return {"HOME": directory, "SANDBOX_ROOT": f"{directory}/sandbox", "STATE_DIR": f"{directory}/state"}


def with_environment(command, environment):
    """A command that sets variables itself: systemd and Podman start with clean ones."""
    return ["env"] + [f"{name}={value}" for name, value in environment.items()] + list(command)
