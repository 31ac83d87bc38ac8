# case: 98
# title: what tells which host this is
# tries: host name, domain, machine-id, boot_id, process numbers, disks, the address of the network card, the name of the user
# expect: none is the host's; boot_id by the threat model
# layers: uts_namespace pid_namespace
import glob
import os
import socket

from outside import BOTH, run_program, said
from product import ROOT

CODE = """import glob, json, os, socket
def read(path):
    try:
        return open(path).read().strip()
    except OSError:
        return ''
print(json.dumps({'name': socket.gethostname(), 'node': os.uname().nodename, 'file': read('/etc/hostname'), 'pid': os.getpid(),
    'parent': os.getppid(), 'machine': read('/etc/machine-id') + read('/var/lib/dbus/machine-id'),
    'boot': read('/proc/sys/kernel/random/boot_id'), 'macs': sorted(read(path) for path in glob.glob('/sys/class/net/*/address')),
    'disks': read('/proc/partitions') + read('/proc/mounts'), 'product': read('/sys/class/dmi/id/product_uuid'),
    'users': read('/etc/passwd'), 'arp': read('/proc/net/arp'), 'routes': read('/proc/net/route')}))
"""


def read(path):
    try:
        with open(path) as file:
            return file.read().strip()
    except OSError:
        return ""


def run(env):
    boot = read("/proc/sys/kernel/random/boot_id")
    for tool in BOTH:
        seen = said(run_program(env.common(), tool, CODE))
        if socket.gethostname() in (seen["name"], seen["node"], seen["file"]):
            return "escaped", f"{tool}: the host's name {seen['name']}"
        if seen["machine"] or seen["macs"] or seen["product"] or seen["routes"].count("\n"):
            return "escaped", f"{tool}: {seen}"
        if seen["pid"] > 100 or seen["parent"] > 100:
            return "escaped", f"{tool}: process numbers {seen['pid']}, {seen['parent']}"
        accounts = {line.split(":")[0] for line in seen["users"].splitlines()}
        if accounts != {"root", "sandbox", "nobody"}:
            return "escaped", f"{tool}: accounts {accounts}"
        if seen["boot"] == boot and "boot_id" not in read(os.path.join(ROOT, "THREAT_MODEL.md")):
            return "escaped", f"{tool}: the host's boot_id, undocumented"
    shown = "boot_id is the host's, as the threat model says" if seen["boot"] == boot else "no boot_id"
    return "held", f"name {seen['name']}, pid {seen['pid']}, no machine-id, no card, no disk; {shown}"
