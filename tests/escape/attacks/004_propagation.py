# case: 4
# title: propagation of mounts
# tries: look in mountinfo for mounts that are shared with, or slaves of, those of the host
# expect: every mount is private
# layers: mount_namespace
lines = read_text("/proc/self/mountinfo").splitlines()
for line in lines:
    fields = line.split(" - ")[0].split()
    if any(word.startswith(("shared:", "master:", "propagate_from:")) for word in fields[6:]):
        wrong("%s is %s" % (fields[4], " ".join(fields[6:])))
held("%d mounts, all private" % len(lines))
