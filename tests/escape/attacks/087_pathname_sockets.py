# case: 87
# title: sockets of the host by path
# tries: the usual paths of docker, podman, containerd, dbus, systemd, sshd agents, X11; then every socket that a walk finds
# expect: ENOENT; the walk finds none
# layers: -
# bound: none
import socket
import stat
for path in ("/var/run/docker.sock", "/run/docker.sock", "/run/podman/podman.sock", "/run/containerd/containerd.sock",
             "/run/crio/crio.sock", "/run/dbus/system_bus_socket", "/var/run/dbus/system_bus_socket", "/run/systemd/private",
             "/run/systemd/notify", "/run/systemd/journal/socket", "/dev/log", "/run/user/0/bus", "/run/user/1000/bus",
             "/run/user/1000/podman/podman.sock", "/tmp/.X11-unix/X0", "/run/snapd.socket", "/run/lxd.socket",
             "/run/container-mcp.sock", "/run/container-mcp/container-mcp.sock", "/var/lib/container-mcp/state/control.sock"):
    with socket.socket(socket.AF_UNIX) as one:
        refused(path, lambda: one.connect(path), "ENOENT")
home = os.environ.get("TMPDIR", "/tmp")
for place, names, files in os.walk("/"):
    if place == "/":
        names[:] = [name for name in names if name != "proc"]
    if place.count("/") > 40:
        names[:] = []
    for name in files:
        path = os.path.join(place, name)
        try:
            if stat.S_ISSOCK(os.lstat(path).st_mode):
                wrong("a socket: " + path)
        except OSError:
            pass
held("none of 20 is there; a walk found no other")
