# case: 97
# title: files of one run in another
# tries: A writes into /tmp, $HOME, /var/tmp, /run, /dev/shm and its current directory; B of the same server looks, and C of
#   another server with another workspace
# expect: B sees the workspace alone, which both share; C sees nothing
# layers: mount_namespace
from outside import BOTH, run_program, said

WRITE = """import os
for place in ('/tmp', os.environ.get('HOME', '/'), '/var/tmp', '/run', '/dev/shm', '.', '/', '/dev', '/etc'):
    try:
        open(os.path.join(place, 'of-run-a'), 'w').close()
    except OSError:
        pass
"""
LOOK = """import json, os
found = []
for place, names, files in os.walk('/'):
    names[:] = [name for name in names if os.path.join(place, name) not in ('/proc', '/usr')]
    found += [os.path.join(place, name) for name in files if name == 'of-run-a']
print(json.dumps(found))
"""


def run(env):
    client, other = env.common(), env.client()
    for first in BOTH:
        for second in BOTH:
            assert run_program(client, first, WRITE)["success"]
            found = said(run_program(client, second, LOOK))
            if found != ["/workspace/of-run-a"]:
                return "escaped", f"{second} sees of {first}: {found}"
            found = said(run_program(other, second, LOOK))
            if found:
                return "escaped", f"another workspace shows {found}"
    return "held", "only the workspace that both share"
