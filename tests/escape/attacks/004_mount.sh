# case: 4
# title: mount, by the system's own program
# tries: mount -o remount,rw /usr; mount -t tmpfs; mount --bind
# expect: the program fails and nothing is mounted
# layers: seccomp capabilities
# safe: no, on a host without a sandbox a remount would last
command -v mount >/dev/null || na "there is no program mount"
before=$(cat /proc/self/mounts)
refused "remount" mount -o remount,rw /usr
refused "tmpfs" mount -t tmpfs none /tmp
refused "bind" mount --bind / /tmp
[ "$before" = "$(cat /proc/self/mounts)" ] || wrong "the mounts changed"
held
