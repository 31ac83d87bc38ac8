# case: 53
# title: supplementary groups
# tries: getgroups and the Groups line of the status
# expect: empty
# layers: -
fields = dict(line.split(":", 1) for line in read_text("/proc/self/status").splitlines() if ":" in line)
others = [group for group in os.getgroups() if group != os.getgid()]
if others or fields["Groups"].split() not in ([], [str(os.getgid())]):
    wrong("groups %s, status says %s" % (os.getgroups(), fields["Groups"].split()))
held("none")
