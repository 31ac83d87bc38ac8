# case: 29
# title: what /proc tells of the host
# tries: read kcore, kmsg, keys, timer_list, kallsyms, cmdline, sched_debug, latency_stats, slabinfo, vmallocinfo, iomem, kpage*, acpi, scsi
# expect: masked: absent, denied or empty; addresses are zero
# layers: proc
for name in ("kcore", "kmsg", "keys", "key-users", "timer_list", "kallsyms", "cmdline", "sched_debug", "latency_stats", "sysrq-trigger"):
    text, error = attempt(read_text, "/proc/" + name, 65536)
    if not error and text.strip("\0\n"):
        wrong("/proc/%s reads %.60r" % (name, text))
for name in ("slabinfo", "vmallocinfo", "pagetypeinfo", "kpagecount", "kpageflags", "kpagecgroup"):
    refused("read /proc/" + name, lambda: read_text("/proc/" + name, 64), "EACCES", "ENOENT", "EPERM")
for name in ("iomem", "ioports", "modules"):
    text, error = attempt(read_text, "/proc/" + name)
    for line in [] if error else text.splitlines():
        addresses = line.split(":")[0] if name != "modules" else line.split()[-1].replace("0x", "")
        if addresses.replace("-", "").strip(" 0") and not addresses.startswith("("):
            wrong("/proc/%s tells addresses: %s" % (name, line))
            break
for name in ("acpi", "scsi", "asound"):
    for directory, _, files in os.walk("/proc/" + name):
        for file in files:
            text, error = attempt(read_text, directory + "/" + file, 4096)
            if not error and text:
                wrong("%s/%s can be read" % (directory, file))
held("covered, absent or denied")
