# case: 104
# title: a thread bomb
# tries: threads that wait, until it is refused
# expect: refused before 300
# layers: process_limit
# bound: threads<=300
import threading
threading.stack_size(65536)
release, count = threading.Event(), 0
try:
    while count < 300:
        threading.Thread(target=release.wait, daemon=True).start()
        count += 1
except (RuntimeError, MemoryError) as failure:
    release.set()
    held("%s after %d threads" % (failure, count))
release.set()
escaped("%d threads" % count)
