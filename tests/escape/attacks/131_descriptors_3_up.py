# case: 131
# title: descriptors that nobody gave
# tries: writing to, reading from and duplicating descriptors 3 to 1023
# expect: EBADF, but for the one pipe by which Python code gives its result
# layers: -
# bound: none
mine = {os.stat("/dev/null").st_rdev, os.stat("/dev/urandom").st_rdev}
found = []
for descriptor in range(3, 1024):
    try:
        status = os.fstat(descriptor)
    except OSError:
        continue
    where = os.readlink("/proc/self/fd/%d" % descriptor)
    if where == sys.argv[0] or where.endswith("/" + os.path.basename(sys.argv[0] or "-")):
        continue  # the script itself
    found.append("%d %s" % (descriptor, where))
    if status.st_rdev and status.st_rdev not in mine:
        wrong("a device: %d" % descriptor)
writable = []
for descriptor in range(3, 1024):
    result, error = syscall("write", descriptor, b"", 0)
    if not error:
        writable.append(os.readlink("/proc/self/fd/%d" % descriptor))
if len(writable) > 1 or [where for where in writable if not where.startswith("pipe:")]:
    wrong("descriptors that can be written: %s" % writable)
held("of 3 to 1023 can be written: %s; open: %s" % (writable or "none", found or "none"))
