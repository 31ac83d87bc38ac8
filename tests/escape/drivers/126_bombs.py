# case: 126
# title: bombs in Python
# tries: a zip bomb that unpacks to 2 GB, a list that doubles, a string repeated, a regular expression and a big power that take for ever
# expect: the memory limit or the wall clock ends each
# layers: memory_limit
# settings: PYTHON_MEMORY_LIMIT=128 BASH_MEMORY_LIMIT=128
from outside import BOTH, run_program

BOMBS = {
    "zip": ("memory", "import io, zipfile\nfile = io.BytesIO()\nwith zipfile.ZipFile(file, 'w', zipfile.ZIP_DEFLATED) as z:\n"
            "    with z.open('x', 'w') as w:\n        for _ in range(256): w.write(bytes(1 << 20))\n"
            "print(len(zipfile.ZipFile(file).read('x')))"),
    "a list": ("memory", "x = [0]\nwhile len(x) < 1 << 28: x += x\nprint(len(x))"),
    "a string": ("memory", "print(len('x' * (1 << 31)))"),
    "a regular expression": ("time", "import re\nprint(re.match('(a+)+b', 'a' * 64))"),
    "a power": ("time", "print((7 ** (10 ** 8)).bit_length())"),
}


def run(env):
    seen = []
    for name, (limit, code) in BOMBS.items():
        for tool in BOTH:
            result = run_program(env.common(), tool, code, timeout=30 if limit == "memory" else 2)
            assert not result["success"], (name, tool, result)
            told = result["limit"] or ("memory" if "MemoryError" in result["stderr"] else None)
            assert told == limit, (name, tool, result)
            seen.append(f"{name}, {tool}: {told}")
    return "held", "; ".join(seen)
