"""The machine is what it is for: without these facts the other steps would prove something else."""
import os

from steps import USER, output, step


def content(path):
    with open(path, encoding="utf-8") as file:
        return file.read().strip()


@step("machine: kernel, security modules, cgroup v2", short=True)
def machine():
    output(["groupadd", "--gid", str(USER), "tester"])
    output(["useradd", "--uid", str(USER), "--gid", str(USER), "--create-home", "tester"])
    output(["useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", "container-mcp"])
    # Every refusal of AppArmor is logged, not the first few.
    output(["sysctl", "-q", "-w", "kernel.printk_ratelimit=0"])
    modules = content("/sys/kernel/security/lsm")
    release = os.uname().release
    assert release.startswith("6.1."), release
    assert "apparmor" in modules and "landlock" in modules, modules
    assert content("/sys/module/apparmor/parameters/enabled") == "Y"
    assert content("/proc/1/comm") == "systemd"
    controllers = content("/sys/fs/cgroup/cgroup.controllers").split()
    assert {"memory", "pids", "cpu"} <= set(controllers), controllers
    return f"{release}; {modules}; cgroup v2: {' '.join(controllers)}"
