# case: 157
# title: limits that are negative, nothing or huge
# tries: -1, 0, 2^63, 2^64, 1e9, an empty text, words, hexadecimal, for every limit
# expect: an error at the start that names the setting and what is allowed
# layers: -
import os
import re
import subprocess

from product import BINARY, Scratch

LIMITS = ["SANDBOX_MAX_PROCESSES", "SANDBOX_CPU_SECONDS", "SANDBOX_TMP_MB", "SANDBOX_MAX_RUNS", "BASH_TIMEOUT_DEFAULT", "BASH_TIMEOUT_MAX",
          "BASH_MEMORY_LIMIT", "PYTHON_TIMEOUT_DEFAULT", "PYTHON_TIMEOUT_MAX", "PYTHON_MEMORY_LIMIT", "FILE_MAX_SIZE_MB", "OUTPUT_MAX_CHARS",
          "OUTPUT_KEEP_MB"]
VALUES = ["-1", "-9223372036854775809", "9223372036854775808", "18446744073709551617", "1e9", "0x10", "10MB", "many", "1 2", "1.5", "+-3"]
MAY_BE_ZERO = {"OUTPUT_MAX_CHARS", "OUTPUT_KEEP_MB"}


def run(env):
    scratch, tried = Scratch(), 0
    base = {"PATH": "/usr/bin:/bin", "HOME": scratch.path, "SANDBOX_ROOT": scratch.path + "/sandbox", "STATE_DIR": scratch.path + "/state"}
    if "ASAN_OPTIONS" in os.environ:
        base["ASAN_OPTIONS"] = os.environ["ASAN_OPTIONS"]
    for name in LIMITS:
        for value in VALUES + ([] if name in MAY_BE_ZERO else ["0"]):
            done = subprocess.run([BINARY, "config"], env={**base, name: value}, capture_output=True, text=True, timeout=60, cwd=scratch.path)
            tried += 1
            if done.returncode == 0:
                return "escaped", f"{name}={value} was taken"
            assert name in done.stderr and re.search(r"allowed|number", done.stderr), done.stderr
    client = env.common()
    for timeout in (-1, 0, 1e308, 10 ** 30, "NaN", "1", [1], True):
        for tool, argument in (("system_run_command", {"command": "echo ran"}), ("system_run_python", {"code": "print('ran')"})):
            try:
                result = client.call(tool, {**argument, "timeout": timeout})
            except Exception as failure:  # a JSON-RPC error is an answer too
                assert "timeout" in str(failure) or "-326" in str(failure), failure
                continue
            assert result.get("refused") and "timeout" in result["error"], (timeout, result)
    return "held", f"{tried} values of {len(LIMITS)} settings and 8 timeouts refused by name"
