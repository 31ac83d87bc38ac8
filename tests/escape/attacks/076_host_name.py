# case: 76
# title: the host's name
# tries: sethostname and setdomainname
# expect: EPERM, and the name is what it was
# safe: no, where the user is root and nothing confines it, it takes effect
# layers: seccomp capabilities
# bound: none
before = os.uname().nodename
refused("sethostname", syscall("sethostname", before.encode(), len(before)), "EPERM")
refused("setdomainname", syscall("setdomainname", b"(none)", 6), "EPERM")
if os.uname().nodename != before:
    wrong("the name changed to " + os.uname().nodename)
held()
