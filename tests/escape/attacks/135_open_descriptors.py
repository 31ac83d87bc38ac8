# case: 135
# title: open descriptors
# tries: /proc/self/fd before anything is opened; kinds and targets of 0, 1 and 2
# expect: 0, 1 and 2 only, pipes or /dev/null; nothing of the host behind them
# layers: -
# tools: bash
# bound: none
import stat
listing = os.open("/proc/self/fd", os.O_RDONLY | os.O_DIRECTORY)
names = sorted(int(name) for name in os.listdir(listing))
own = {listing}
others = []
for number in names:
    try:
        where = os.readlink("/proc/self/fd/%d" % number)
    except OSError:
        continue
    if number > 2 and number not in own and not where.startswith("/proc/") and "escape_" not in where:
        others.append("%d -> %s" % (number, where))
if others:
    wrong("open besides 0, 1, 2: %s" % others)
for number in (0, 1, 2):
    mode = os.fstat(number).st_mode
    if not (stat.S_ISFIFO(mode) or os.fstat(number).st_rdev == os.stat("/dev/null").st_rdev):
        wrong("descriptor %d is %s" % (number, os.readlink("/proc/self/fd/%d" % number)))
held("0, 1 and 2: %s" % ", ".join(os.readlink("/proc/self/fd/%d" % number) for number in (0, 1, 2)))
