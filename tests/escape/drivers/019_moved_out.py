# case: 19
# title: a directory that is moved out of the workspace while a run works in it
# tries: the host moves it away; the run, whose working directory it is, walks up and opens by a descriptor
# expect: the walk up never reaches the directories above it on the host
# layers: mount_namespace
import os
import time

CODE = """import os, time
os.makedirs('a/b', exist_ok=True)
here = os.open('a/b', os.O_RDONLY)
os.chdir('a/b')
open('ready', 'w').close()
while not os.path.exists('moved'):
    time.sleep(0.01)
for up in range(1, 12):
    for base in (None, here):
        try:
            names = os.listdir(os.open('../' * up, os.O_RDONLY, dir_fd=base))
            print(up, sorted(names))
        except OSError as failure:
            print(up, failure.strerror)
"""


def run(env):
    out = env.outside()
    with open(os.path.join(out, "secret-above.txt"), "w", encoding="utf-8") as file:
        file.write("SECRET")
    client = env.common()
    call = client.start_call("system_run_python", {"code": CODE, "timeout": 60})
    inner = os.path.join(env.workspace, "a", "b")
    end = time.monotonic() + 60
    while not os.path.exists(os.path.join(inner, "ready")):
        assert time.monotonic() < end, "the run did not begin"
        time.sleep(0.01)
    os.mkdir(os.path.join(out, "below"))
    try:
        os.rename(inner, os.path.join(out, "below", "b"))
    except OSError as failure:
        return "na", f"the test cannot move it: {failure.strerror}"
    with open(os.path.join(out, "below", "b", "moved"), "w", encoding="utf-8"):
        pass
    output = str(client.wait(call))
    if "secret-above" in output or "'below'" in output:
        return "escaped", output[:400]
    assert "No such file" in output or "[" in output, output
    return "held", "above a directory that left the mount there is nothing"
