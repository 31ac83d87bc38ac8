# case: 158
# title: tool arguments that ask for more
# tries: timeouts above the most, directories outside, hooks in env, and arguments that no tool has: memory, network, user, privileged, mounts,
#   workspace, allowed_commands, sandbox, _meta
# expect: refused by name, or without any effect (`_meta`); a run has what the configuration says
# layers: -
import json
import os

from outside import BOTH, arguments_of
from product import RpcError

EXTRA = {"memory": 1 << 40, "memory_limit": 4096, "network": True, "user": "root", "uid": 0, "privileged": True, "mounts": ["/:/host"],
         "workspace": "/", "allowed_commands": ["*"], "sandbox": False, "sandbox_level": "L0", "capabilities": ["CAP_SYS_ADMIN"],
         "max_processes": 10000, "profile": "none", "env_pass": ["*"], "restricted": False}
DIRECTORIES = ["/", "/etc", "..", "../..", "/workspace/..", "a/../..", "/proc/self/cwd/..", "/proc/1/root", "~", "/tmp/../etc", "link/..", "link"]
LOOK = "import json, os, resource\nprint(json.dumps([os.getcwd(), resource.getrlimit(resource.RLIMIT_NPROC)[1], os.getuid()]))"


def call(client, tool, arguments):
    try:
        return client.call(tool, arguments)
    except RpcError as failure:
        return {"refused": True, "error": str(failure)}


def run(env):
    client = env.common()
    os.symlink("/etc", os.path.join(client.server.workspace, "link"))
    plain = {tool: json.loads(client.call(*arguments_of(tool, LOOK, {})).get("stdout" if tool == "bash" else "output")) for tool in BOTH}
    for tool in BOTH:
        for name, value in EXTRA.items():
            result = call(client, *arguments_of(tool, LOOK, {name: value}))
            if not result.get("refused") or name not in result["error"]:
                return "escaped", f"{tool} took {name}={value}: {result}"
        for timeout in (121, 1e6, 1e18):
            result = call(client, *arguments_of(tool, LOOK, {"timeout": timeout}))
            if not result.get("refused"):
                return "escaped", f"{tool} took a timeout of {timeout}: {result}"
        for directory in DIRECTORIES:
            name, arguments = arguments_of(tool, LOOK, {"working_dir": directory})
            result = call(client, name, arguments)
            said = (result.get("stdout") or "") + (result.get("output") or "")
            if said.startswith("[") and not json.loads(said)[0].startswith("/workspace"):
                return "escaped", f"{tool} went to {directory}: {said}"
        name, arguments = arguments_of(tool, LOOK, {})
        meta = {"sandbox": "off", "level": "L0", "memory": 1 << 40, "progressToken": "x", "io.modelcontextprotocol/privileged": True}
        result = client.wait(client.start_call(name, arguments, meta=meta))
        body = result["structuredContent"]
        assert json.loads(body.get("stdout") or body.get("output")) == plain[tool], (body, plain)
    return "held", f"{len(EXTRA)} arguments, 3 timeouts and {len(DIRECTORIES)} directories for each tool; `_meta` changes nothing"
