# case: 156
# title: a limit with a name that nobody knows
# tries: SANDBOX_MAX_PROCESES, BASH_MEMORY_LIMITS, PYTHON_TIMEOUT in the environment, on the command line's file and with --strict-config
# expect: an error at the start with --strict-config; without it a warning that names it and the nearest name
# layers: -
import os
import subprocess

from product import BINARY, Scratch

NAMES = {"SANDBOX_MAX_PROCESES": "SANDBOX_MAX_PROCESSES", "BASH_MEMORY_LIMITS": "BASH_MEMORY_LIMIT", "PYTHON_TIMEOUT_MAXX": "PYTHON_TIMEOUT_MAX"}


def start(arguments, settings):
    scratch = Scratch()
    env = {"PATH": "/usr/bin:/bin", "HOME": scratch.path, "SANDBOX_ROOT": scratch.path + "/sandbox", "STATE_DIR": scratch.path + "/state", **settings}
    if "ASAN_OPTIONS" in os.environ:
        env["ASAN_OPTIONS"] = os.environ["ASAN_OPTIONS"]
    return subprocess.run([BINARY, *arguments], env=env, cwd=scratch.path, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)


def run(env):
    place = env.outside()
    for wrong, right in NAMES.items():
        path = os.path.join(place, wrong + ".env")
        with open(path, "w") as file:
            file.write(wrong + "=1\n")
        for arguments, settings in ((["--stdio", "--strict-config"], {wrong: "1"}), (["--stdio", "--strict-config", "--config", path], {})):
            done = start(arguments, settings)
            if done.returncode != 2 or wrong not in done.stderr or right not in done.stderr:
                return "escaped", f"{arguments}: {done}"
        loud = start(["--stdio"], {wrong: "1"})
        assert wrong in loud.stderr and right in loud.stderr, loud.stderr
    return "held", f"{len(NAMES)} names: an error with --strict-config, a warning with the right name without it"
