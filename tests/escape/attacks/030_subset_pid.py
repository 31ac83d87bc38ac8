# case: 30
# title: what /proc holds where it is mounted with subset=pid
# tries: list /proc
# expect: pids and self alone
# layers: proc
options = [line.split(" - ")[1] for line in read_text("/proc/self/mountinfo").splitlines() if line.split()[4] == "/proc"]
if not options:
    na("/proc is not mounted")
if "subset=pid" not in options[0]:
    na("/proc is mounted whole, with masks (case 29): programs ask it for cpuinfo and meminfo")
others = [name for name in os.listdir("/proc") if not name.isdigit() and name not in ("self", "thread-self")]
if others:
    wrong("/proc holds %s" % others[:10])
held("pids and self")
