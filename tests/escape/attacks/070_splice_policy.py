# case: 70
# title: splice changes no file that may only be read
# tries: a page of a read-only system file into a pipe by splice, a write into the pipe behind it, and a sendfile into that file
# expect: splice works, as the policy says; the file has what it had; nothing is spliced into a file opened for reading
# layers: -
# bound: none
path = sys.executable if os.path.isfile(sys.executable or "") else "/bin/sh"
source = os.open(path, os.O_RDONLY)
before = os.pread(source, 4096, 0)
reader, writer = os.pipe()
offset = (ctypes.c_int64 * 1)(0)
result, error = syscall("splice", source, offset, writer, 0, 1, 0)
if error and error not in ("EPERM", "ENOSYS", "EINVAL"):
    note("unexpected: splice gave " + error)
os.write(writer, b"overwritten by whoever has PIPE_BUF_FLAG_CAN_MERGE")
if os.pread(source, 4096, 0) != before:
    wrong("the page of a read-only file was changed through a pipe")
refused("splice into a read-only file", syscall("splice", reader, 0, source, 0, 16, 0), "EBADF", "EPERM")
refused("sendfile into a read-only file", syscall("sendfile", source, source, 0, 16), "EBADF", "EPERM")
held("splice " + (error or "works") + "; the file is unchanged")
