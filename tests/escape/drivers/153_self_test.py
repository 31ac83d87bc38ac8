# case: 153
# title: the self-test at the start
# tries: comparing what doctor claims with what runs of both tools find: uid, capabilities, no_new_privs, filters, Landlock, network, pid 1,
#   the entries of the root, the flags of mounts
# expect: each is as claimed, and each layer was tried, not read from a configuration
# layers: -
import os
import sys

from outside import BOTH, run_program, said
from product import ROOT

sys.path.insert(0, os.path.join(ROOT, "tests/cases"))
from deploy_cases import doctor  # noqa: E402

CODE = """import ctypes, json, os, socket
status = dict(line.split(':\\t', 1) for line in open('/proc/self/status').read().splitlines() if ':\\t' in line)
libc = ctypes.CDLL(None, use_errno=True)
mounts = [line.split() for line in open('/proc/self/mountinfo')]
def landlocked():
    try:
        open('/usr/escape153', 'w')
        return ''
    except OSError as failure:
        return failure.strerror
print(json.dumps({
    'uid': os.getuid(), 'gid': os.getgid(), 'groups': os.getgroups(), 'caps': [status[n] for n in ('CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb')],
    'nnp': status['NoNewPrivs'], 'seccomp': status['Seccomp'], 'filters': int(status.get('Seccomp_filters', '1')),
    'lo': [name for _, name in socket.if_nameindex()],
    'root': sorted(os.listdir('/')), 'usr': landlocked(), 'landlock': libc.syscall(444, 0, 0, 1),
    'flags': {m[4]: m[5].split(',') for m in mounts}}))
"""
ENTRIES = {"bin", "sbin", "lib", "lib32", "lib64", "libx32", "usr", "etc", "dev", "proc", "tmp", "workspace", "data", "opt"}


def run(env):
    status, report = doctor()
    assert status == 0 and report["level"] == "L3", report
    for entry in report["layers"]:
        assert entry["active"] and entry["detail"], entry
    for tool in BOTH:
        seen = said(run_program(env.common(), tool, CODE))
        zero = "0000000000000000"
        assert seen["caps"] == [zero] * 5 and seen["nnp"] == "1" and seen["seccomp"] == "2" and seen["filters"] >= 1, seen
        assert seen["uid"] != 0 and seen["groups"] in ([], [seen["gid"]], [65534]), seen
        assert seen["lo"] == ["lo"] and seen["usr"], seen
        assert not set(seen["root"]) - ENTRIES, seen["root"]
        for place, flags in seen["flags"].items():
            assert "nosuid" in flags, (place, flags)
            assert "nodev" in flags or place.startswith(("/dev", "/proc/")), (place, flags)  # a null device covers a file
            writable = place in ("/tmp", "/dev/shm", "/workspace") or place.startswith(("/workspace/", "/proc"))
            assert writable or "ro" in flags or place.startswith("/dev/"), (place, flags)
    return "held", f"as claimed: {len(report['layers'])} layers, {len(seen['flags'])} mounts nosuid"
