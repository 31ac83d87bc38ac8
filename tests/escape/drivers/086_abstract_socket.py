# case: 86
# title: an abstract socket of the host
# tries: connecting from both tools to abstract sockets that this test listens on: stream, datagram, packet
# expect: ECONNREFUSED (another network) or EPERM (Landlock's scope); nobody comes
# layers: network_namespace
import os
import socket

from outside import BOTH, Counter, run_program, said

CODE = """import errno, json, socket
answers = []
for name, kind in %r:
    with socket.socket(socket.AF_UNIX, kind) as one:
        try:
            one.connect('\\0' + name)
            one.send(b'x')
            answers.append('CONNECTED')
        except OSError as failure:
            answers.append(errno.errorcode[failure.errno])
print(json.dumps(answers))
"""


def run(env):
    kinds = [socket.SOCK_STREAM, socket.SOCK_DGRAM]
    names = [(f"cmcp-escape-{os.getpid()}-{int(kind)}", int(kind)) for kind in kinds]
    counters = [Counter(socket.AF_UNIX, kind, "\0" + name[0]) for kind, name in zip(kinds, names)]
    answers = [said(run_program(env.common(), tool, CODE % (names,))) for tool in BOTH]
    with socket.socket(socket.AF_UNIX) as one:  # the listener listens
        one.connect("\0" + names[0][0])
    came = [counter.close() for counter in counters]
    if came != [1, 0] or any(set(answer) - {"ECONNREFUSED", "EPERM"} for answer in answers):
        return "escaped", f"{answers}; came, with the one of the test: {came}"
    return "held", f"{answers[0]}; nobody came"
