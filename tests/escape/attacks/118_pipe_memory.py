# case: 118
# title: memory in pipes
# tries: 200 pipes of 1 MiB each, filled
# expect: bounded: the larger sizes are refused, or the descriptors end, or the memory limit, below 128 MiB
# layers: -
# bound: bytes<=200M
import fcntl
F_SETPIPE_SZ, kept, total, refusal = 1031, [], 0, "none"
try:
    for _ in range(200):
        reader, writer = os.pipe()
        kept += [reader, writer]
        try:
            fcntl.fcntl(writer, F_SETPIPE_SZ, 1 << 20)
        except OSError as failure:
            refusal = name_of(failure.errno)
        os.set_blocking(writer, False)
        try:
            while True:
                total += os.write(writer, b"x" * 65536)
        except BlockingIOError:
            pass
except OSError as failure:
    refusal = name_of(failure.errno)
for descriptor in kept:
    os.close(descriptor)
if total > 128 << 20:
    escaped("%d MiB in pipes" % (total >> 20))
held("%d MiB in %d pipes; larger ones: %s" % (total >> 20, len(kept) // 2, refusal))
