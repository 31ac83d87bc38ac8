#!/bin/sh
# The last step of mmdebstrap: what makes the new root a test machine. $1 is that root.
set -eu
root=$1
echo vm >"$root/etc/hostname"
printf '127.0.0.1 localhost vm\n' >"$root/etc/hosts"
printf '/dev/vda / ext4 defaults 0 1\n' >"$root/etc/fstab"
: >"$root/etc/machine-id"
# An initrd of the few drivers that this machine has: unpacking everything takes minutes in emulation.
mkdir -p "$root/etc/initramfs-tools/conf.d"
printf 'MODULES=list\nCOMPRESS=gzip\n' >"$root/etc/initramfs-tools/conf.d/container-mcp"
printf 'virtio\nvirtio_pci\nvirtio_blk\next4\n' >>"$root/etc/initramfs-tools/modules"
chroot "$root" update-initramfs -u >/dev/null
cat >"$root/etc/systemd/system/cmcp-test.service" <<'UNIT'
[Unit]
Description=Container-MCP tests
Wants=local-fs.target apparmor.service dbus.socket systemd-logind.service
After=local-fs.target apparmor.service dbus.socket systemd-logind.service

[Service]
Type=oneshot
ExecStart=/usr/local/sbin/cmcp-test
StandardInput=null
StandardOutput=tty
StandardError=tty
TTYPath=/dev/ttyS0
TimeoutStartSec=infinity

[Install]
WantedBy=multi-user.target
UNIT
cat >"$root/usr/local/sbin/cmcp-test" <<'START'
#!/bin/sh
# The second disk brings the tests and the programs under test; the second serial line takes the results.
mkdir -p /opt/cmcp
if mount -o ro /dev/vdb /opt/cmcp; then
  /usr/bin/python3 -u /opt/cmcp/tests/vm/guest/run.py
else
  echo '{"failed": "the second disk cannot be mounted"}' >/dev/ttyS1
fi
sync
systemctl poweroff --force --force
START
chmod 755 "$root/usr/local/sbin/cmcp-test"
chroot "$root" systemctl --quiet enable cmcp-test.service
# Nothing that only costs time.
for unit in getty@tty1.service serial-getty@ttyS0.service apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer \
  e2scrub_all.timer e2scrub_reap.service fstrim.timer podman.service podman.socket podman-auto-update.timer \
  podman-restart.service systemd-timesyncd.service man-db.timer; do
  ln -sf /dev/null "$root/etc/systemd/system/$unit"
done
rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*
