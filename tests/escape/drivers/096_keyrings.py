# case: 96
# title: keys from one run to another
# tries: A puts a key into its user, session and thread keyrings; B asks for it and lists /proc/keys
# expect: EPERM; nothing in /proc/keys
# layers: seccomp
from outside import BOTH, run_program, said

CODE = """import ctypes, errno, json
libc = ctypes.CDLL(None, use_errno=True)
answers = []
import platform
add, request, control = (248, 249, 250) if platform.machine() == 'x86_64' else (217, 218, 219)
for ring in (-1, -3, -4, -5):
    answers.append(libc.syscall(add, b'user', b'escape96', b'secret', 6, ring))
answers.append(libc.syscall(request, b'user', b'escape96', 0, -4))
answers.append(libc.syscall(control, 0, -4, 1))
answers.append(libc.syscall(control, 1, b'escape96'))
try:
    keys = open('/proc/keys').read()
except OSError:
    keys = ''
print(json.dumps([answers, errno.errorcode.get(ctypes.get_errno(), ''), 'escape96' in keys]))
"""


def run(env):
    answers = [said(run_program(env.common(), tool, CODE)) for tool in BOTH + BOTH]
    if any(set(values) != {-1} or error != "EPERM" or listed for values, error, listed in answers):
        return "escaped", str(answers)
    return "held", "add_key, request_key and keyctl: EPERM in every run"
