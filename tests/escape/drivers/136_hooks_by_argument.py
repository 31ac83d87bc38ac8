# case: 136
# title: start-up hooks as tool arguments
# tries: LD_PRELOAD, LD_AUDIT, LD_LIBRARY_PATH, PYTHONPATH, PYTHONSTARTUP, PYTHONHOME, BASH_ENV, ENV, BASH_FUNC_*, SHELLOPTS, PS4,
#   PROMPT_COMMAND, GCONV_PATH, IFS, GLIBC_TUNABLES, MALLOC_*, names with = and NUL, in other letters
# expect: refused by name, nothing runs
# layers: -
from product import RpcError

NAMES = ["LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "LD_DEBUG", "PYTHONPATH", "PYTHONSTARTUP", "PYTHONHOME", "PYTHONINSPECT", "BASH_ENV",
         "ENV", "BASH_FUNC_ls%%", "BASH_FUNC_x()", "SHELLOPTS", "BASHOPTS", "GCONV_PATH", "GLIBC_TUNABLES", "A=B", "", "A\0B", "=",
         "LD_PRELOAD\n"]


def run(env):
    client, seen = env.common(), []
    for tool, argument in (("system_run_command", {"command": "echo ran"}), ("system_run_python", {"code": "print('ran')"})):
        for name in NAMES:
            try:
                result = client.call(tool, {**argument, "env": {name: "/workspace/evil.so"}})
            except RpcError as failure:
                result = {"refused": True, "error": failure.message}
            if not result.get("refused") or "ran" in (result.get("stdout") or "") + (result.get("output") or ""):
                return "escaped", f"{tool} took {name!r}: {result}"
            if name.isidentifier():
                assert name in result["error"], result
        for more in ({"env": ["LD_PRELOAD=x"]}, {"env": "LD_PRELOAD=x"}, {"environment": {"LD_PRELOAD": "x"}}, {"argv": ["x"]}):
            try:
                result = client.call(tool, {**argument, **more})
            except RpcError:
                continue
            assert result.get("refused"), (more, result)
        fine = client.call(tool, {**argument, "env": {"FINE": "1"}})
        assert fine["success"], fine
        seen.append(tool)
    return "held", f"{len(NAMES)} names refused by {' and '.join(seen)}"
