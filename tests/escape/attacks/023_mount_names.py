# case: 23
# title: names of the host in the mount tables
# tries: read mounts, mountinfo and mountstats and look for paths of the host
# expect: mount points and sources are neutral; the one root that tells a host path is the workspace's, which THREAT_MODEL.md says
# layers: mount_namespace
import re

told = []
for line in read_text("/proc/self/mountinfo").splitlines():
    fields = line.split()
    root, point = fields[3], fields[4]
    source = line.split(" - ")[1].split()[1]
    if re.match(r"/(home|root|tmp|var|opt|srv|mnt)\b", root):
        if not (point.startswith("/workspace") or root.startswith(("/tmp/", "/var/")) and point.startswith("/workspace")):
            wrong("the mount %s tells the path %s" % (point, root))
        told.append(point)
    if not re.match(r"/($|usr|etc|dev|proc|tmp|workspace)", point):
        wrong("a mount point of the host: " + point)
    if source.startswith("/") and not source.startswith("/dev/"):
        wrong("a source of the host: " + source)
for name in ("/proc/self/mounts", "/proc/self/mountstats"):
    text, _ = attempt(read_text, name)
    found = re.findall(r"\S*/(?:home|root|oldroot|sandbox)/\S*", str(text))
    if found:
        wrong("%s tells %s" % (name, found[:3]))
held("only the workspace's root tells its host path: %s" % told)
