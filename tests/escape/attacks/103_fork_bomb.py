# case: 103
# title: a fork bomb
# tries: forking children that wait, until it is refused
# expect: EAGAIN before 300
# layers: process_limit
# bound: forks<=300
children, error = [], ""
while len(children) < 300:
    try:
        child = os.fork()
    except OSError as failure:
        error = name_of(failure.errno)
        break
    if child == 0:
        syscall("pause")
        os._exit(0)
    children.append(child)
for child in children:
    os.kill(child, 9)
for child in children:
    os.waitpid(child, 0)
if error != "EAGAIN":
    escaped("%d children, and then %s" % (len(children), error or "no refusal"))
held("EAGAIN after %d children" % len(children))
