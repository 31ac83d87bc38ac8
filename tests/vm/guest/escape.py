"""The escape suite on this kernel: as root and as a user, in a unit with a delegated cgroup."""
from steps import TOP, USER, delegated_harness, output, step

PARTS = ("001-026", "027-053", "054-080", "081-099", "100-127", "128-160")
SELECTED = "2,4,7,9,12,24,27,28,32,36,54,57,60,66,71"


def suite(user, arguments, timeout):
    command = delegated_harness(["python3", f"{TOP}/tests/escape/escape.py", "--environment", "vm-user" if user else "vm-root",
                                 *arguments], user)
    text = output(command, expect=None, timeout=timeout)
    lines = text.strip().splitlines()
    bad = [line for line in lines if line.startswith(("FAILED", "ESCAPED"))]
    counts = [line for line in lines if " applied, " in line]
    assert counts and not bad, " | ".join(bad or lines[-5:])
    return counts[-1]


def register(name, user, arguments, timeout, short):
    @step(name, short=short)
    def run():
        return suite(user, arguments, timeout)


for who in (None, USER):
    title = "user" if who else "root"
    register(f"escape: selection, {title}", who, ["--only", SELECTED], 1200, True)
for who in (None, USER):
    title = "user" if who else "root"
    for part in PARTS:
        register(f"escape: {part}, {title}", who, ["--part", part, "--allow-missing"], 3600, False)
