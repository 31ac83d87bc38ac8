# case: 34
# title: processes in /proc
# tries: list /proc, look up pids by number, by /proc/N/task and by kill(pid, 0)
# expect: only the sandbox's own
# layers: pid_namespace
own = {os.getpid(), os.getppid(), 1}
for name in os.listdir("/proc"):
    if not name.isdigit() or int(name) in own:
        continue
    text, error = attempt(read_text, "/proc/%s/cmdline" % name)
    # Shells and this program itself may stand between.
    if not error and not any(word in text for word in ("escape_", "python", "sh\0", "cat")):
        wrong("process %s is to be seen: %.80r" % (name, text))
numbers = [int(name) for name in os.listdir("/proc") if name.isdigit()]
if len(numbers) > 8 or (numbers and max(numbers) > 3000):
    wrong("%d processes, up to number %d" % (len(numbers), max(numbers)))
seen = [pid for pid in range(2, max(5000, os.getpid() + 200)) if pid not in numbers and not attempt(os.kill, pid, 0)[1]]
if seen:
    wrong("kill(pid, 0) finds %s" % seen[:10])
held("%d processes: %s" % (len(numbers), numbers))
