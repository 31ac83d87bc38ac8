# case: 106
# title: signals to everybody
# tries: kill(-1), kill(1) with every signal, and the process numbers that server, launcher and another sandbox have on the host
# expect: only its own sandbox is reached; init lives; the run beside it ends in its own time
# layers: pid_namespace
import os

from outside import BOTH, end_of, run_program, said, start_program
from product import wait_for

BESIDE = """import os, time
open(%(ready)r, 'w').close()
end = time.monotonic() + 60
while not os.path.exists(%(done)r) and time.monotonic() < end:
    time.sleep(0.01)
print('"unharmed"')
"""
CODE = """import errno, json, os, signal
answers = {}
for number in list(range(1, 32)) + [34, 64]:
    try:
        os.kill(1, number)
        answers['1'] = answers.get('1', []) + ['sent']
    except OSError as failure:
        answers['1'] = answers.get('1', []) + [errno.errorcode[failure.errno]]
answers['1'] = sorted(set(answers['1']))
for pid in %r:
    for way in (os.kill, os.killpg):
        try:
            way(pid, signal.SIGKILL)
            answers[str(pid)] = 'sent'
        except OSError as failure:
            answers[str(pid)] = errno.errorcode[failure.errno]
    try:
        os.close(os.pidfd_open(pid))
        answers[str(pid)] = 'opened'
    except OSError:
        pass
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = os.fork()
if child == 0:
    for number in (signal.SIGCONT, signal.SIGTERM):
        try:
            os.kill(-1, number)
        except ProcessLookupError:
            pass
    os._exit(0)
os.waitpid(child, 0)
print(json.dumps(answers))
"""


def run(env):
    client, seen = env.common(), {}
    for tool in BOTH:
        files = {"ready": f"ready-{tool}", "done": f"done-{tool}"}
        waiting = start_program(client, "bash", BESIDE % files, timeout=90)
        wait_for(lambda: os.path.exists(os.path.join(client.server.workspace, files["ready"])), "the run beside it")
        hosts = [pid for pid in [client.server.process.pid, os.getpid(), *client.server.descendants()] if pid > 200]
        answers = said(run_program(client, tool, CODE % hosts))
        wide = client.bash("kill -9 -1; echo after")
        with open(os.path.join(client.server.workspace, files["done"]), "w"):
            pass
        beside = end_of(client, waiting)
        assert said(beside) == "unharmed", beside
        assert not wide.get("refused"), wide
        reached = {pid: answer for pid, answer in answers.items() if pid != "1" and answer != "ESRCH"}
        if reached:
            return "escaped", f"{tool}: {reached}"
        seen = answers
    return "held", f"init: {seen['1']}, processes of the host: ESRCH; the run beside it was unharmed"
