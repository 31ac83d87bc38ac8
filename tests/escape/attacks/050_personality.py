# case: 50
# title: personality
# tries: ADDR_NO_RANDOMIZE, READ_IMPLIES_EXEC, MMAP_PAGE_ZERO, ADDR_COMPAT_LAYOUT, another execution domain
# expect: EPERM
# layers: seccomp
for name, flag in (("ADDR_NO_RANDOMIZE", 0x40000), ("READ_IMPLIES_EXEC", 0x400000), ("MMAP_PAGE_ZERO", 0x100000), ("ADDR_COMPAT_LAYOUT", 0x200000),
                   ("PER_SVR4", 1), ("PER_LINUX32_3GB", 0x8000008)):
    refused("personality " + name, syscall("personality", flag), "EPERM", "ENOSYS")
held()
