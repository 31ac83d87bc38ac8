# case: 137
# title: hooks in the server's environment
# tries: LD_DEBUG, GCONV_PATH, PYTHONSTARTUP, PYTHONPATH, BASH_ENV, ENV, exported functions, PERL5OPT, NODE_OPTIONS, GIT_CONFIG_*, http_proxy
#   in the environment of a server that starts
# expect: none reaches a sandbox, and none is run
# layers: -
import os

from outside import BOTH, run_program, said

CODE = "import json, os, subprocess\nprint(json.dumps([sorted(os.environ), subprocess.run(['bash', '-c', 'type ls; env'], capture_output=True, text=True).stdout]))"


def run(env):
    place = env.outside()
    os.chmod(place, 0o755)
    ran = os.path.join(place, "ran")
    os.mkdir(ran)
    os.chmod(ran, 0o777)
    script = os.path.join(place, "hook")
    with open(script, "w") as file:
        file.write(f"echo HOOK >&2; touch {ran}/shell\n")
    startup = os.path.join(place, "startup.py")
    with open(startup, "w") as file:
        file.write(f"print('HOOK'); open({ran!r} + '/python', 'w')\n")
    with open(os.path.join(place, "sitecustomize.py"), "w") as file:
        file.write(f"open({ran!r} + '/site', 'w')\n")
    hooks = {"LD_DEBUG": "statistics", "GCONV_PATH": place, "PYTHONSTARTUP": startup, "PYTHONPATH": place, "BASH_ENV": script,
             "ENV": script, "BASH_FUNC_ls%%": "() { echo HOOK; }", "PERL5OPT": "-d", "NODE_OPTIONS": "--require /x", "GIT_CONFIG_COUNT": "1",
             "http_proxy": "http://x", "PYTHONINSPECT": "1", "PYTHONBREAKPOINT": "os.system", "IFS": "x", "PS4": "$(touch x)", "SHELLOPTS": "xtrace",
             "LOCPATH": place, "TERMINFO": place, "MALLOC_CHECK_": "3", "GLIBC_TUNABLES": "glibc.malloc.check=3"}
    client = env.client(extra_env=hooks)
    for tool in BOTH:
        result = run_program(client, tool, CODE)
        names, shell = said(result)
        if set(names) & set(hooks) or "HOOK" in shell + result["stderr"] or "function" in shell:
            return "escaped", f"{tool}: {set(names) & set(hooks)} {shell[:200]} {result['stderr'][:200]}"
    client.server.stop()
    if os.listdir(ran):
        return "escaped", f"hooks ran on the host: {os.listdir(ran)}"
    return "held", f"{len(hooks)} hooks, none arrived, none ran"
