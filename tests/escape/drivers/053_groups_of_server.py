# case: 53
# title: supplementary groups of the server
# tries: a server whose user is in a group that may read a file of the workspace: is the payload in it too?
# expect: the payload is in no group beside its own; after a start without root, where the kernel lets nobody leave a group, doctor
#   warns of it and THREAT_MODEL.md says it
# layers: -
import os
import subprocess
import sys


def run(env):
    if os.geteuid() != 0:
        return "na", "the test may not choose the groups of a process"
    group = 517171
    support = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support")
    # A server of its own process, for the groups are those of whoever starts it.
    code = f"""import os, sys
sys.path.insert(0, {support!r})
os.setgroups([{group}])
import product
uid = product.fresh_uid() if product.identity() == 'user' else None
if uid is not None:
    os.setgid(uid); os.setuid(uid)
    os.environ['CMCP_TEST_IDENTITY'] = 'root'
import subprocess
from product import BINARY, Scratch, connect
home = Scratch().path
client = connect(settings={{'COMMAND_RESTRICTED': 'false'}})
print(client.bash('id -G; grep Groups /proc/self/status')['stdout'])
client.server.stop()
environment = {{'PATH': '/usr/bin:/bin', 'HOME': home, 'SANDBOX_ROOT': home + '/s', 'STATE_DIR': home + '/t'}}
print('DOCTOR', subprocess.run([BINARY, 'doctor'], env=environment, cwd=home, capture_output=True, text=True, timeout=100).stdout)"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    output, _, doctor = done.stdout.partition("DOCTOR")
    words = output.split()
    assert "Groups:" in words, done.stderr[-600:]
    groups = words[:words.index("Groups:")]
    if groups == ["1000", "65534"] and env.mode == "user":
        if "supplementary group" not in doctor:
            return "escaped", f"groups {groups}, and doctor does not say it: {doctor[-300:]}"
        return "held", "the kernel keeps the user's groups; doctor warns of it"
    if groups != ["1000"]:
        return "escaped", f"the payload's groups: {' '.join(groups)}"
    return "held", "none, although the server is in one"
