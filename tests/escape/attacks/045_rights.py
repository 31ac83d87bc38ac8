# case: 45
# title: capabilities, no_new_privs and seccomp of every thread
# tries: read the status of this process, of four threads and of a child; capset, PR_CAP_AMBIENT_RAISE, PR_SET_NO_NEW_PRIVS 0, seccomp off
# expect: CapInh, CapPrm, CapEff, CapBnd, CapAmb all 0; NoNewPrivs 1; Seccomp 2
# layers: -
import threading

done = threading.Event()
threads = [threading.Thread(target=done.wait) for _ in range(4)]
for thread in threads:
    thread.start()


def check(path):
    fields = dict(line.split(":", 1) for line in read_text(path).splitlines() if ":" in line)
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        if int(fields[name], 16):
            wrong("%s is %s in %s" % (name, fields[name].strip(), path))
    if fields["NoNewPrivs"].strip() != "1":
        wrong("NoNewPrivs is %s in %s" % (fields["NoNewPrivs"].strip(), path))
    if fields["Seccomp"].strip() != "2":
        wrong("Seccomp is %s in %s" % (fields["Seccomp"].strip(), path))


tasks = os.listdir("/proc/self/task")
for task in tasks:
    check("/proc/self/task/%s/status" % task)
done.set()
if in_child(lambda: os.execv("/bin/sh", ["sh", "-c", "! grep -E '^Cap(Inh|Prm|Eff|Bnd|Amb):.*[1-9a-f]' /proc/self/status"])) != 0:
    wrong("a program that is executed has capabilities")
header = (ctypes.c_uint32 * 2)(0x20080522, 0)
refused("capset", syscall("capset", header, (ctypes.c_uint32 * 6)(1 << 21, 1 << 21, 0, 0, 0, 0)), "EPERM")
refused("PR_CAP_AMBIENT_RAISE", syscall("prctl", 47, 2, 21, 0, 0), "EPERM", "EINVAL")
refused("PR_SET_NO_NEW_PRIVS 0", syscall("prctl", 38, 0, 0, 0, 0), "EINVAL", "EPERM")
refused("PR_SET_SECCOMP strict", lambda: (0, "") if in_child(lambda: os._exit(1 if syscall("prctl", 22, 0, 0, 0, 0)[1] else 0)) == 0
        else (-1, "EINVAL"), "EINVAL", "EPERM")
refused("PR_SET_SECUREBITS", syscall("prctl", 28, 0, 0, 0, 0), "EPERM", "EINVAL")
refused("PR_CAPBSET_DROP", syscall("prctl", 24, 0, 0, 0, 0), "EPERM", "EINVAL")
held("%d threads and a child: no capability, no_new_privs, filtered" % len(tasks))
