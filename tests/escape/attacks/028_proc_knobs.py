# case: 28
# title: knobs of /proc outside of /proc/sys, and those of the own process
# tries: open for writing pressure/*, mtrr, irq, bus/pci, tty, acpi, fs; self/{loginuid,clear_refs,coredump_filter,timerslack_ns,autogroup,sched,make-it-fail,mem}
# expect: EACCES (Landlock grants /proc for reading); nothing of them is needed
# layers: landlock
# safe: yes, it opens and does not write
import glob

names = ["mtrr", "slabinfo", "sysvipc/shm", "self/loginuid", "self/sessionid", "self/clear_refs", "self/coredump_filter",
         "self/timerslack_ns", "self/autogroup", "self/sched", "self/make-it-fail", "self/comm", "self/mem", "self/fail-nth", "self/patch_state"]
paths = ["/proc/" + name for name in names]
for pattern in ("/proc/pressure/*", "/proc/irq/*/smp_affinity*", "/proc/irq/default_smp_affinity", "/proc/bus/pci/*/*", "/proc/acpi/*",
                "/proc/scsi/*", "/proc/fs/*/*", "/proc/driver/*", "/proc/net/*/*"):
    paths += glob.glob(pattern)[:20]
seen = 0
for path in paths:
    if os.path.isdir(path) or not os.path.exists(path):
        continue
    seen += 1
    refused("open " + path, lambda: os.close(os.open(path, os.O_WRONLY)), "EACCES", "EROFS", "EPERM")
if seen < 5:
    note("unexpected: only %d of the files are there" % seen)
held("%d files" % seen)
