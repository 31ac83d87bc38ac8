# case: 62
# title: kernel modules
# tries: init_module, finit_module, delete_module (a name that no module has)
# expect: EPERM
# layers: seccomp capabilities
# bound: none
image = b"\x7fELF not a module"
refused("init_module", syscall("init_module", image, len(image), b""), "EPERM")
refused("finit_module", syscall("finit_module", 0, b"", 0), "EPERM")
refused("delete_module", syscall("delete_module", b"no_module_of_this_name", os.O_NONBLOCK), "EPERM")
held()
