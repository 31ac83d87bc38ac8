# case: 81
# title: a listener on the host's loopback hears nothing
# tries: connecting from both tools to a TCP listener of this test on 127.0.0.1 and on ::1, and to the server's own port
# expect: ECONNREFUSED, ENETUNREACH or EACCES inside; no connection outside
# layers: network_namespace
import socket

from outside import BOTH, Counter, run_program, said
from product import Server

CODE = """import errno, json, socket
answers = {}
for host, port in %r:
    try:
        with socket.socket(socket.AF_INET6 if ':' in host else socket.AF_INET) as one:
            one.settimeout(5)
            one.connect((host, port))
        answers[f'{host} {port}'] = 'CONNECTED'
    except OSError as failure:
        answers[f'{host} {port}'] = errno.errorcode.get(failure.errno, type(failure).__name__)
print(json.dumps(answers))
"""
REFUSALS = {"ECONNREFUSED", "ENETUNREACH", "EACCES", "EPERM", "EADDRNOTAVAIL"}


def run(env):
    listeners = [Counter()]
    try:
        listeners.append(Counter(socket.AF_INET6, address=("::1", 0)))
    except OSError:
        pass  # a host without IPv6 has one way less
    server = Server("http", env.settings, extra_env=env.switches)
    targets = [listener.name[:2] for listener in listeners] + [("127.0.0.1", server.port), ("0.0.0.0", listeners[0].name[1])]
    seen = {}
    for tool in BOTH:
        answers = said(run_program(env.common(), tool, CODE % targets))
        assert len(answers) == len(targets), answers
        seen.update(answers)
        if set(answers.values()) - REFUSALS:
            return "escaped", f"{tool}: {answers}"
    server.stop()
    counts = [listener.close() for listener in listeners]
    return ("held", f"{seen}; nobody came") if not any(counts) else ("escaped", f"{counts} connections reached the host")
