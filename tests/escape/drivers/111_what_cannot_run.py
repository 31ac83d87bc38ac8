# case: 111
# title: what cannot be executed
# tries: a missing program, a directory, a file without x, a script whose interpreter is missing, an empty file, random bytes,
#   an ELF of another machine
# expect: 127 or 126 and a message that names it; the run ends
# layers: -

MAKE = r"""mkdir -p e; cd e; mkdir -p dir; printf 'echo no\n' > plain; chmod 600 plain
printf '#!/no/such/interpreter\n' > script; printf '' > empty; head -c 4096 /dev/zero > zeros
printf '\177ELF\002\001\001\000\000\000\000\000\000\000\000\000\002\000\367\000\001\000\000\000' > other; head -c 100 /dev/zero >> other
chmod 700 script empty zeros other"""


def run(env):
    assert env.bash(MAKE)["success"], "the files"
    # bash takes an empty file for a script, as every shell does.
    wanted = {"no_such_program": (127,), "./e/missing": (127,), "./e/dir": (126,), "./e/plain": (126,), "./e/script": (126, 127),
              "./e/zeros": (126,), "./e/other": (126,)}
    seen = []
    for command, codes in wanted.items():
        result = env.bash(command, timeout=20)
        assert not result["timed_out"] and result["exit_code"] in codes, (command, result)
        assert command.lstrip("./") in result["stderr"] and result["success"] is False, (command, result)
        seen.append(f"{command} {result['exit_code']}")
    code = """import os, errno
answers = []
for path in ('/no/such', 'e/dir', 'e/plain', 'e/script', 'e/empty', 'e/zeros', 'e/other'):
    try:
        os.execv(path, [path])
    except OSError as failure:
        answers.append(errno.errorcode[failure.errno])
_ = answers
"""
    answers = env.python(code)["result"]
    assert answers == ["ENOENT", "EACCES", "EACCES", "ENOENT", "ENOEXEC", "ENOEXEC", "ENOEXEC"], answers
    return "held", ", ".join(seen)
