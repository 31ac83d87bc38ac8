# case: 171
# title: results that are made to harm the server
# tries: Python's result descriptor: megabytes, other JSON, deep nesting, invalid UTF-8, a second result, a closed one, one that stays open in
#   a child; `_` with a repr that raises, recurses, sleeps, or lies about its type
# expect: a result or an error of bounded size; the server works on
# layers: -
import json

CODES = {
    "megabytes": "_ = 'x' * (20 << 20)",
    "deep": "x = []\nfor _ in range(100000): x = [x]\n_ = x",
    "cyclic": "x = []\nx.append(x)\n_ = x",
    "a repr that raises": "class A:\n    def __repr__(self): raise SystemExit(3)\n_ = A()",
    "a repr that recurses": "class A:\n    def __repr__(self): return repr(self)\n_ = A()",
    "a str that lies": "class A(str):\n    def __len__(self): return -1\n    def encode(self, *a): return b'\\xff' * 100\n_ = A('x')",
    "a dict that lies": "class A(dict):\n    def items(self): return iter([(object(), object())] * 3)\n_ = A(a=1)",
    "an int of a million digits": "_ = 10 ** 1000000",
    "surrogates": "_ = '\\ud800\\udfff' + chr(0)",
    "garbage on every descriptor": "import os\nfor n in range(3, 1024):\n    try: os.write(n, b'\\xff{\"result\":1}' * 1000)\n    except OSError: pass\n_ = 1",
    "every descriptor closed": "import os\nos.closerange(3, 65536)\n_ = 1",
    "a child that keeps it": "import os, time\nif os.fork() == 0:\n    time.sleep(1000)\n_ = 1",
    "two results": "import os\nif os.fork() == 0:\n    _ = 'child'\nelse:\n    os.wait()\n    _ = 'parent'",
    "json replaced": "import json, sys, builtins\njson.dumps = lambda *a, **k: '{' * 1000\nsys.modules['json'] = None\nbuiltins.repr = None\n_ = {1: 2}",
    "stdout replaced": "import sys\nsys.stdout = sys.stderr = None\nsys.excepthook = None\n_ = 1",
    "an excepthook that loops": "import sys\nsys.excepthook = lambda *a: sys.excepthook(*a)\n1/0",
    "a finaliser that hangs": "import atexit, time\natexit.register(time.sleep, 1000)\n_ = 1",
}


def run(env):
    client, seen = env.common(), []
    for name, code in CODES.items():
        result = client.python(code, timeout=10)
        size = len(json.dumps(result))
        assert "success" in result or result.get("refused"), result
        assert size < 3 << 20, f"{name}: a result of {size} bytes"
        assert client.python("_ = 6 * 7")["result"] == 42, name
        seen.append(f"{name}: {'ok' if result.get('success') else (result.get('limit') or result.get('signal') or 'error')}")
    return "held", "; ".join(seen)
