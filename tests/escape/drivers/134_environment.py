# case: 134
# title: the environment
# tries: env, /proc/self/environ, /proc/*/environ, with tokens and canaries in the server's environment
# expect: the documented names and no others; no canary
# layers: -
import json
import secrets

from outside import BOTH, run_program, said

CODE = """import glob, json, os
texts = [json.dumps(dict(os.environ))]
for path in glob.glob('/proc/*/environ') + glob.glob('/proc/*/cmdline'):
    try:
        texts.append(open(path, 'rb').read().decode('latin-1'))
    except OSError:
        pass
print(json.dumps([sorted(os.environ), sum(text.count(%r[::-1]) for text in texts)]))
"""
NAMES = {"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "LANG", "TZ", "TERM", "PAGER", "GIT_PAGER", "PWD", "SHLVL", "_", "OLDPWD",
         "LC_CTYPE", "PASSED"}


def run(env):
    canary = "CANARY" + secrets.token_hex(12)
    extra = {"AWS_SECRET_ACCESS_KEY": canary, "GITHUB_TOKEN": canary, "MY_OWN": canary, "DATABASE_URL": canary, "SSH_AUTH_SOCK": "/" + canary,
             "http_proxy": "http://" + canary}
    client = env.client(settings={"MCP_AUTH_TOKEN": canary, "SANDBOX_ENV_PASS": "PASSED"}, extra_env={**extra, "PASSED": "yes"})
    for tool in BOTH:
        names, found = said(run_program(client, tool, CODE % canary[::-1]))
        if found or set(names) - NAMES:
            return "escaped", f"{tool}: names {sorted(set(names) - NAMES)}, canaries {found}"
        assert "PASSED" in names and "PATH" in names, names
    assert canary not in json.dumps(client.call("system_env_var", {}))
    return "held", "only " + " ".join(names)
