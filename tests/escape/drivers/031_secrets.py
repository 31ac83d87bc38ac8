# case: 31
# title: secrets of the server
# tries: a canary in the server's environment and settings; grep in all of /proc that can be read, descriptors, the environment
# expect: /proc/1/environ is denied; the canary is nowhere
# layers: mount_namespace pid_namespace
LOOK = """grep -als CANAR[Y] /proc/[0-9]*/environ /proc/[0-9]*/cmdline /proc/[0-9]*/task/*/environ /proc/[0-9]*/mountinfo 2>/dev/null
env | grep CANAR[Y]
cat /proc/1/environ && echo READ-INIT
cat /proc/1/cmdline | grep CANAR[Y]; ls -la /proc/self/fd/; find / -xdev -name '*CANAR[Y]*' 2>/dev/null; true"""
MEMORY = """import os
needle = b'CAN' + b'ARY-in-a'
def holds(path):
    try:
        with open(path, 'rb') as file: return needle in file.read(1 << 20)
    except OSError: return False
names = ['/proc/%s/%s' % (pid, name) for pid in os.listdir('/proc') if pid.isdigit() for name in ('environ', 'cmdline', 'maps', 'auxv')]
print([path for path in names if holds(path)], [k for k, v in os.environ.items() if 'CAN' + 'ARY' in k + v])"""


def run(env):
    settings = {"MCP_AUTH_TOKEN": "CANARY-in-a-token-1234567890"}
    client = env.client(settings=settings, extra_env={"CANARY_NAME": "CANARY-in-an-environment"})
    result = client.bash(LOOK)
    if "CANARY" in result["stdout"] or "READ-INIT" in result["stdout"]:
        return "escaped", result["stdout"][:400]
    assert "denied" in result["stderr"] or "permitted" in result["stderr"] or "No such file" in result["stderr"], result
    seen = client.python(MEMORY)
    if seen["output"].strip() != "[] []":
        return "escaped", seen["output"][:400]
    for name in ("MCP_AUTH_TOKEN", "CANARY_NAME"):
        if "CANARY-in" in str(client.call("system_env_var", {"var_name": name})):
            return "escaped", f"system_env_var tells {name}"
    if "CANARY" in "".join(client.server.log):
        return "escaped", "the log holds the token"
    return "held", "no process, descriptor, variable or log line tells it"
