# case: 24
# title: Landlock where the mounts are writable
# tries: with the read-only flags left out by a test switch: open for writing and create outside the rules
# expect: EACCES
# layers: landlock
import os

CODE = """import os
places = ['/escape_x', '/etc/escape_x', '/usr/escape_x', '/dev/escape_x', '/usr/bin/escape_x']
for path in places:
    try:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
        os.unlink(path)
        print('WROTE', path)
    except OSError as failure:
        print(path, failure.errno)
"""


def run(env):
    if not env.has_switches():
        return "na", "a release reads no test switches"
    off = {"SANDBOX_REQUIRE": "L0"}
    alone = env.client(settings=off, switches={"CMCP_TEST_DISABLE_LAYER": "read_only_root"}).python(CODE)
    assert "output" in alone, alone
    if "WROTE" in alone["output"]:
        return "escaped", alone["output"]
    # EACCES, not EROFS: the flag of the root is out, and Landlock is what refuses. /usr keeps a flag of its own.
    assert alone["output"].count(" 13") >= 3, alone
    without = env.client(settings=off, switches={"CMCP_TEST_DISABLE_LAYER": "read_only_root,landlock"}).python(CODE)
    writable = without["output"].count("WROTE")
    # Where the root belongs to another uid, ownership refuses as well.
    return "held", f"EACCES in /, /etc and /dev; without Landlock too, {writable} of 5 are written"
