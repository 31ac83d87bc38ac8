# case: 47
# title: file capabilities
# tries: set security.capability on a file of the workspace and of /tmp; execute programs that have it (ping)
# expect: EPERM; nothing is gained
# layers: user_namespace capabilities
# safe: yes, on a file of its own
import glob
import struct

value = struct.pack("<IIIII", 0x02000001, 1 << 21, 0, 0, 0)  # revision 2, effective, CAP_SYS_ADMIN
for path in ("escape_capability", "/tmp/escape_capability"):
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o755))
    for what, data in (("revision 2", value), ("revision 3", struct.pack("<IIIIII", 0x03000001, 1 << 21, 0, 0, 0, 0))):
        refused("setxattr security.capability %s on %s" % (what, path), lambda: os.setxattr(path, "security.capability", data),
                "EPERM", "EOPNOTSUPP", "EACCES", "EINVAL")
    # Not security.selinux: without a policy loaded, SELinux lets the owner of a file label it.
    for name in ("trusted.overlay.opaque", "security.ima"):
        refused("setxattr " + name, lambda: os.setxattr(path, name, b"x"), "EPERM", "EOPNOTSUPP", "EACCES", "EINVAL")
    os.unlink(path)
seen = []
for path in glob.glob("/usr/bin/*") + glob.glob("/usr/sbin/*"):
    if attempt(os.getxattr, path, "security.capability")[1]:
        continue
    pipe = os.popen("exec 3</proc/self/status; %s --version >/dev/null 2>&1; cat <&3" % path)
    if "CapEff:\t0000000000000000" not in pipe.read():
        wrong(path + " gained capabilities")
    seen.append(os.path.basename(path))
held("none can be set; programs that have one: %s" % (" ".join(seen) or "none here"))
