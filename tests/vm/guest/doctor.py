"""doctor --json as root and as an ordinary user, with and without a delegated cgroup."""
import json
import subprocess

from steps import BINARY, ENVIRONMENT, USER, as_user, delegated, scratch, settings_of, step, with_environment


def doctor(command):
    """(status, report) of a command that ends in `doctor --json`."""
    done = subprocess.run(command, env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=900)
    try:
        return done.returncode, json.loads(done.stdout)
    except ValueError:
        raise AssertionError(f"doctor printed no report ({done.returncode}): {done.stdout[-800:]} {done.stderr[-1500:]}") from None


def summary(report):
    inactive = [layer["name"] for layer in report["layers"] if not layer["active"]]
    text = f"{report['level']}, {report['limiter']}, {report['identity']}, Landlock ABI {report['landlock_abi']}"
    if "apparmor" in report:
        text += f", AppArmor: {report['apparmor'].get('label') or report['apparmor'].get('reason')}"
    return text + (f", not active: {', '.join(inactive)}" if inactive else "")


def expect_complete(report, limiter):
    reasons = [f"{layer['name']}: {layer['detail']}" for layer in report["layers"] if not layer["active"]]
    assert report["level"] == "L3", f"{report['level']}: {report['cause']} {reasons}"
    assert limiter is None or limiter in report["limiter"], f"{report['limiter']} {report.get('warnings')}"
    assert report["landlock_abi"] == 2, report["landlock_abi"]
    return summary(report)


def command_in(directory):
    return with_environment([BINARY, "doctor", "--json"], settings_of(directory))


@step("doctor: root, delegated cgroup", short=True)
def root_delegated():
    return expect_complete(doctor(delegated(command_in("/var/lib/cmcp-doctor")))[1], "v2")


@step("doctor: user, delegated cgroup", short=True)
def user_delegated():
    directory = scratch("doctor", USER)
    return expect_complete(doctor(delegated(command_in(directory), user=USER))[1], "v2")


@step("doctor: root, no delegation")
def root_plain():
    return expect_complete(doctor(command_in("/var/lib/cmcp-plain"))[1], None)


@step("doctor: user, no delegation")
def user_plain():
    """No cgroup may be written: the limits are held by other means, and that is said."""
    report = doctor(as_user(command_in(scratch("doctor", USER))))[1]
    text = expect_complete(report, "rlimit")
    return text
