# case: 87
# title: a socket of the host by its path
# tries: connecting from both tools to a socket in a directory of the host that everybody may enter, and by way of links in the
#   workspace, of /proc/1/root and of the server's own descriptors
# expect: ENOENT, EACCES or EPERM; nobody comes
# layers: mount_namespace
import os
import socket

from outside import BOTH, Counter, run_program, said

CODE = """import errno, json, os, socket
path = %r
for name in ('link', 'directory'):
    if os.path.lexists(name):
        os.unlink(name)
os.symlink(path, 'link')
os.symlink(os.path.dirname(path), 'directory')
answers = []
for way in (path, 'link', 'directory/' + os.path.basename(path), '/proc/1/root' + path, '/proc/self/root' + path, '/proc/1/cwd' + path):
    with socket.socket(socket.AF_UNIX) as one:
        try:
            one.connect(way)
            answers.append('CONNECTED')
        except OSError as failure:
            answers.append(errno.errorcode.get(failure.errno, str(failure)))
print(json.dumps(answers))
"""


def run(env):
    directory = env.outside()
    os.chmod(directory, 0o777)
    path = os.path.join(directory, "s")
    counter = Counter(socket.AF_UNIX, address=path)
    os.chmod(path, 0o777)
    answers = [said(run_program(env.common(), tool, CODE % path)) for tool in BOTH]
    came = counter.close()
    if came or any(set(answer) - {"ENOENT", "EACCES", "EPERM"} for answer in answers):
        return "escaped", f"{answers}, {came} came"
    return "held", f"{answers[0]}; nobody came"
