# case: 105
# title: zombies
# tries: children that end and are never waited for; then parents that leave their dead children to init, ten times
# expect: EAGAIN before 300; init reaps what is left to it, so that the room comes back
# layers: process_limit
# bound: forks<=900
import time
count, error = 0, ""
while count < 300:
    try:
        if os.fork() == 0:
            os._exit(0)
    except OSError as failure:
        error = name_of(failure.errno)
        break
    count += 1
for _ in range(count):
    os.wait()
if error != "EAGAIN":
    escaped("%d zombies, and then %s" % (count, error or "no refusal"))


def leave_orphans():
    for _ in range(30):
        while True:
            try:
                if os.fork() == 0:
                    os._exit(0)
                break
            except OSError:
                time.sleep(0.01)  # init is still reaping those of the round before


for turn in range(10):
    if in_child(leave_orphans) != 0:
        wrong("round %d failed" % turn)
held("EAGAIN after %d zombies; 300 orphans were reaped" % count)
