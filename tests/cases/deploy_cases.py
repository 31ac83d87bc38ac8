"""DEPLOY-*: machines that lack something say what, and what to do."""
import json
import os
import subprocess

import product
from product import BINARY, Scratch, Server, StdioClient, connect, fresh_uid, identity
from registry import FREE, case, contains, equal, table


def doctor(settings=None):
    """(exit status, the parsed `doctor --json`) as the identity of this test."""
    uid = fresh_uid() if identity() == "user" and os.geteuid() == 0 else None
    scratch = Scratch(uid)
    env = {"PATH": "/usr/bin:/bin", "HOME": scratch.make("home"), "SANDBOX_ROOT": os.path.join(scratch.path, "sandbox"),
           "STATE_DIR": os.path.join(scratch.path, "state"), **(settings or {})}
    if "ASAN_OPTIONS" in os.environ:
        env["ASAN_OPTIONS"] = os.environ["ASAN_OPTIONS"]
    command = [BINARY, "doctor", "--json"]
    if uid is not None:
        command = ["setpriv", "--reuid", str(uid), "--regid", str(uid), "--clear-groups", "--"] + command
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, cwd=scratch.path)
    return done.returncode, json.loads(done.stdout)


# DEPLOY-01: user namespaces are forbidden ------------------------------------------------------------------------------------
@case("DEPLOY-01", "refused_with_cause_and_fix")
def deploy_01():
    """A test switch makes the writing of uid_map fail as Ubuntu 24.04's AppArmor restriction does."""
    client = connect(settings=FREE, extra_env={"CMCP_TEST_DENY_USERNS": "1"})
    result = client.bash("echo ran")
    assert result.get("refused") and result["code"] == "sandbox_unavailable", result
    contains(result["error"], "user namespace")
    contains(result["error"].lower(), "apparmor")
    assert client.call("file_write", {"path": "a.txt", "content": "x"})["success"], "plain file tools work"
    equal(client.python("_ = 1").get("code"), "sandbox_unavailable")


@case("DEPLOY-01", "doctor_names_the_fix")
def deploy_01_doctor():
    status, report = doctor({"CMCP_TEST_DENY_USERNS": "1"})
    assert status != 0 and report["level"] != "L3", report
    text = json.dumps(report)
    contains(text, "kernel.apparmor_restrict_unprivileged_userns")
    contains(text, "deploy/apparmor")


@case("DEPLOY-01", "healthy_machine_says_l3")
def deploy_01_healthy():
    status, report = doctor()
    equal((status, report["level"]), (0, "L3"), json.dumps(report, indent=1)[:3000])
    equal([layer["name"] for layer in report["layers"] if not layer["active"]], [])


# DEPLOY-07: limits by what is there -------------------------------------------------------------------------------------------
@table("DEPLOY-07", {"best_of_this_machine": {}, "no_writable_cgroup": {"CMCP_TEST_NO_CGROUP": "1"}})
def deploy_07(extra):
    client = connect(settings={**FREE, "PYTHON_MEMORY_LIMIT": "256"}, extra_env=extra)
    result = client.python("print('kept')\nx = bytearray(1000*1024*1024)\nx[::4096] = b'1' * len(x[::4096])")
    equal((result["success"], result["limit"], result["output"]), (False, "memory", "kept\n"), str(result)[:500])
    contains(result["error"], "256")
    shared = client.python("import mmap\nm = mmap.mmap(-1, 1000*1024*1024)\nfor i in range(0, len(m), 4096): m[i] = 1")
    equal((shared["success"], shared["limit"]), (False, "memory"), str(shared)[:500])
    equal(client.python("_ = 1")["result"], 1)


@case("DEPLOY-07", "doctor_names_the_limiter")
def deploy_07_doctor():
    _, best = doctor()
    _, none = doctor({"CMCP_TEST_NO_CGROUP": "1"})
    contains(("cgroup v1", "cgroup v2", "rlimit"), best["limiter"].split(" +")[0] if "rlimit" in best["limiter"] else best["limiter"])
    contains(none["limiter"], "rlimit")
    equal(none["level"], "L3")
