# case: 10
# title: devices of the host
# tries: open kmsg, mem, port, fuse, kvm, net/tun, disks, loop-control, mapper, terminals, cpu msr, dri, input, vsock, userfaultfd
# expect: ENOENT
# layers: mount_namespace
# safe: yes, it opens and closes (never the watchdog: closing it reboots)
for name in ("kmsg", "mem", "kmem", "port", "fuse", "kvm", "net/tun", "vda", "sda", "nvme0n1", "loop0", "loop-control",
             "mapper/control", "tty0", "tty1", "console", "ttyS0", "cpu/0/msr", "dri/card0", "input/event0", "vsock", "vhost-vsock",
             "userfaultfd", "hwrng", "rtc0", "snd/timer", "autofs", "btrfs-control", "uinput", "nvram"):
    refused("open /dev/" + name, lambda: os.close(os.open("/dev/" + name, os.O_RDONLY | os.O_NONBLOCK)), "ENOENT", "ENOTDIR")
held()
