# case: 72
# title: a program in memory
# tries: memfd_create, a program written into it and executed by descriptor
# expect: by policy: denied under the list of commands and without a memory cgroup, else allowed; what runs is confined as before
# layers: -
# bound: none
descriptor, error = syscall("memfd_create", b"program", 0)
if error:
    refused("memfd_create", (descriptor, error), "EPERM")
    held()
with open("/bin/sh", "rb") as file:
    os.write(descriptor, file.read())
reader, writer = os.pipe()
child = os.fork()
if child == 0:
    os.dup2(writer, 1)
    look = "while read -r name value; do case $name in NoNewPrivs:|Seccomp:|CapEff:) echo $name$value;; esac; done </proc/self/status"
    os.execve(descriptor, ["sh", "-c", look], {})
os.close(writer)
said = b""
while True:
    piece = os.read(reader, 4096)
    if not piece:
        break
    said += piece
os.waitpid(child, 0)
lines = said.decode().split()
if lines != ["CapEff:0000000000000000", "NoNewPrivs:1", "Seccomp:2"]:
    escaped("a program in memory ran with " + " ".join(lines))
held("allowed; confined as before: " + " ".join(lines))
