# case: 63
# title: another kernel, and a reboot
# tries: kexec_load, kexec_file_load, reboot with wrong magic numbers and with "Ctrl-Alt-Del restarts nothing"
# expect: EPERM
# safe: no, where the user is root and nothing confines it, it takes effect
# layers: seccomp
# bound: none
# safe: no, changes what Ctrl-Alt-Del does
refused("kexec_load", syscall("kexec_load", 0, 0, 0, 0x80000000), "EPERM")
refused("kexec_file_load", syscall("kexec_file_load", -1, -1, 0, b"", 0x80), "EPERM")
refused("reboot, wrong magic", syscall("reboot", 1, 2, 0, 0), "EPERM")
refused("reboot, CAD off", syscall("reboot", 0xfee1dead, 672274793, 0, 0), "EPERM")
held()
