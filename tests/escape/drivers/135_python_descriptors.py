# case: 135
# title: open descriptors of Python code and of shells
# tries: /proc/self/fd of the interpreter, of a program that it starts, and of what a shell starts
# expect: 0, 1 and 2; besides, the interpreter has the descriptor of its result, which no other program inherits
# layers: -
import json


def run(env):
    code = """import json, os, subprocess
own = {int(name): os.readlink('/proc/self/fd/' + name) for name in os.listdir('/proc/self/fd') if os.path.lexists('/proc/self/fd/' + name)}
child = subprocess.run(['ls', '/proc/self/fd'], capture_output=True, text=True, close_fds=False).stdout.split()
print(json.dumps([{n: t for n, t in own.items() if n > 2}, child]))
"""
    result = env.python(code)
    own, child = json.loads(result["output"])
    strange = {number: target for number, target in own.items() if not target.startswith(("pipe:", "socket:", "/proc/", "/memfd:", "anon_inode:"))}
    if strange or len(own) > 3:
        return "escaped", f"the interpreter holds {own}"
    if set(child) - {"0", "1", "2", "3"}:  # 3 is what ls itself opened
        return "escaped", f"a program inherits {child}"
    shell = env.bash("ls /proc/self/fd; bash -c 'ls /proc/self/fd' 2>/dev/null; (exec ls /proc/self/fd)")["stdout"].split()
    if set(shell) - {"0", "1", "2", "3"}:
        return "escaped", f"a program of the shell inherits {shell}"
    return "held", f"the interpreter holds {sorted(own.values())} besides; programs 0, 1, 2"
