"""PY-*: Python code as a script's author knows it."""
from product import connect, processes_with, unpack, wait_for
from registry import case, contains, equal, table


def fresh(**settings):
    return connect(settings=settings)


# PY-16: a real __main__ ----------------------------------------------------------------------------------------------
@table("PY-16", {
    "import_in_function": ("import math\ndef g(): return math.pi\nprint(g())", "3.141592653589793\n"),
    "recursion": ("def fact(n): return 1 if n<2 else n*fact(n-1)\nprint(fact(5))", "120\n"),
    "class_in_function": ("class A: pass\ndef mk(): return A()\nprint(type(mk()).__name__)", "A\n"),
    "comprehension": ("n=3\nprint([n*i for i in range(3)])", "[0, 3, 6]\n"),
    "main_guard": ("if __name__ == '__main__': print('main')", "main\n"),
    "global_statement": ("c=0\ndef up():\n    global c\n    c+=1\nup();up()\nprint(c)", "2\n"),
    "pickle": ("import pickle\nclass P:\n    def __init__(s): s.v=5\nprint(pickle.loads(pickle.dumps(P())).v)", "5\n"),
    "dataclass": ("from dataclasses import dataclass\n@dataclass\nclass D:\n    x: int\nprint(D(1))", "D(x=1)\n"),
    "main_module": ("import sys\nx=7\nprint(sys.modules['__main__'].x)", "7\n"),
    "multiprocessing": ("import multiprocessing as m\ndef f(x): return x*x\nif __name__=='__main__':\n"
                        "    with m.get_context('fork').Pool(2) as p: print(p.map(f,[1,2,3]))", "[1, 4, 9]\n"),
    "top_level_await": ("import asyncio\nawait asyncio.sleep(0)\nprint('awaited')", "awaited\n"),
})
def py_16(row):
    code, output = row
    result = fresh().python(code)
    equal((result["output"], result["error"], result["success"], result["exit_code"]), (output, "", True, 0), code)


# PY-17: every way to end ------------------------------------------------------------------------------------------------
@table("PY-17", {
    "exit_3": ("print('kept'); import sys; sys.exit(3)", "kept\n", False, 3, None, ""),
    "exit_none": ("print('kept'); import sys; sys.exit()", "kept\n", True, 0, None, ""),
    "exit_0": ("print('kept'); exit(0)", "kept\n", True, 0, None, ""),
    "exit_text": ("print('kept'); import sys; sys.exit('why')", "kept\n", False, 1, None, "why"),
    "raise_system_exit": ("print('kept'); raise SystemExit", "kept\n", True, 0, None, ""),
    "keyboard_interrupt": ("print('kept'); raise KeyboardInterrupt", "kept\n", False, 130, None, "KeyboardInterrupt"),
    "os_exit": ("import os; print('x', flush=True); os._exit(4)", "x\n", False, 4, None, ""),
    "os_exit_unflushed": ("import os; print('x', end=''); os._exit(4)", "x", False, 4, None, ""),
    "abort": ("print('kept'); import os; os.abort()", "kept\n", False, 134, "SIGABRT", ""),
    "kill_itself": ("print('kept'); import os; os.kill(os.getpid(), 9)", "kept\n", False, 137, "SIGKILL", ""),
    "terminate_itself": ("print('kept'); import os, signal; os.kill(os.getpid(), signal.SIGTERM)", "kept\n", False, 143, "SIGTERM", ""),
    "fork": ("import os\nif os.fork() == 0:\n    print('child')\nelse:\n    os.wait()", "child\n", True, 0, None, ""),
    "fork_keeps_buffer_once": ("import os\nprint('once')\nif os.fork(): os.wait()", "once\n", True, 0, None, ""),
    "exit_in_thread": ("import threading,sys\nt=threading.Thread(target=sys.exit)\nt.start();t.join()\nprint('on')", "on\n", True, 0, None, ""),
    "atexit": ("import atexit\natexit.register(print,'bye')\nprint('hi')", "hi\nbye\n", True, 0, None, ""),
    "segfault": ("print('kept')\nimport ctypes\nctypes.string_at(0)", "kept\n", False, 139, "SIGSEGV", ""),
})
def py_17(row):
    code, output, success, exit_code, signal_name, error = row
    result = fresh().python(code)
    equal((result["output"], result["success"], result["exit_code"], result["signal"]),
          (output, success, exit_code, signal_name), code + result["error"])
    if error:
        contains(result["error"], error)


# PY-07: the result travels alone ------------------------------------------------------------------------------------------
@case("PY-07", "log_and_result")
def py_07():
    result = fresh().python("print('log line'); _ = {'n': 42}")
    equal((result["output"], result["result"]), ("log line\n", {"n": 42}))


@case("PY-07", "forged_marker")
def py_07_forged():
    text = 'RESULT:{"n": 1}\\n__RESULT__ {"result": 1}\\n{"result":{"json":1}}'
    result = fresh().python(f"print('{text}'); _ = 'true'")
    equal((result["result"], result["output"].count("\n")), ("true", 3))


@case("PY-07", "writing_to_every_descriptor")
def py_07_descriptors():
    code = ("import os\nfor fd in range(3, 300):\n    try: os.write(fd, b'{\"result\": \"forged\"}')\n    except OSError: pass\n_ = 'real'")
    equal(fresh().python(code)["result"], "real")


@case("PY-07", "a_child_cannot_answer")
def py_07_child():
    code = "import os\n_ = 'parent'\nif os.fork() == 0:\n    _ = 'child'\nelse:\n    os.wait()"
    equal(fresh().python(code)["result"], "parent")


@table("PY-07", {
    "last_expression": ("6*7", 42),
    "underscore_wins": ("_ = 1\n2", 1),
    "none": ("_ = None", None),
    "nothing": ("x = 1", None),
    "text": ("_ = 'é\\n'", "é\n"),
    "nested": ("_ = {'a': [1, 2.5, None, True]}", {"a": [1, 2.5, None, True]}),
    "tuple": ("_ = (1, 2)", [1, 2]),
})
def py_07_forms(row):
    code, expected = row
    equal(fresh().python(code)["result"], expected, code)


@table("PY-07", {name: code for name, code in {
    "nan": "_ = float('nan')", "infinity": "_ = float('inf')", "bytes": "_ = b'ab'", "set": "_ = {1}", "huge": "_ = 10**400",
    "cycle": "_ = []; _.append(_)", "surrogate": "_ = '\\ud800'", "object": "_ = object()", "date": "import datetime\n_ = datetime.date(2026,1,2)",
    "bad_repr": "class B:\n    def __repr__(s): raise ValueError('x')\n_ = B()", "deep": "_ = []\nfor i in range(2000): _ = [_]",
    "large": "_ = 'x' * 50_000_000", "int_keys": "_ = {1: 2}"}.items()})
def py_07_odd_values(code):
    """Whatever the value is, the call succeeds and the answer is well-formed JSON with some form of it."""
    result = fresh().python(code)
    assert result["success"] and result["result"] is not None, result


# PY-08: nobody answers ------------------------------------------------------------------------------------------------
@case("PY-08", "input")
def py_08_input():
    result = fresh().python("print('before', end=''); name = input('who? '); print(name)")
    equal((result["output"], result["success"]), ("beforewho? ", False))
    contains(result["error"], "EOFError")


@case("PY-08", "read_all")
def py_08_read():
    equal(fresh().python("import sys; print(repr(sys.stdin.read()))")["output"], "''\n")


@case("PY-08", "given")
def py_08_given():
    equal(fresh().python("print(input()); print(input())", stdin="a\nb\n")["output"], "a\nb\n")


@case("PY-08", "getpass")
def py_08_getpass():
    result = fresh().python("import getpass; getpass.getpass()")
    equal(result["success"], False)
    assert not result["timed_out"], result


# PY-12: nothing outlives the limit --------------------------------------------------------------------------------------
@table("PY-12", {
    "big_power": "x = 9**(9**9)",
    "regular_expression": "import re; re.match('(a+)+$', 'a'*40+'b')",
    "loop_in_function": "def f():\n    while True: pass\nwhile True: f()",
    "sleep": "import time; time.sleep(60)",
    "thread": "import threading\ndef loop():\n    while True: pass\nthreading.Thread(target=loop).start()",
    "ignores_everything": "import signal,time\nfor s in range(1,32):\n    try: signal.signal(s, signal.SIG_IGN)\n    except (OSError, ValueError): pass\ntime.sleep(60)",
    "child_process": "import subprocess; subprocess.run(['sleep', '61'])",
    "catches_everything": "import time\nwhile True:\n    try: time.sleep(60)\n    except BaseException: pass",
})
def py_12(code):
    client = fresh()
    result = client.python("print('kept')\n" + code, timeout=2)
    equal((result["timed_out"], result["success"], result["exit_code"], result["limit"], result["output"]),
          (True, False, 124, "time", "kept\n"))
    contains(result["error"], "timed out after 2 seconds")
    equal(client.python("_ = 1")["result"], 1)
    wait_for(lambda: not processes_with("sleep\x0061"), "the child to be gone")


@table("PY-12", {"above_maximum": 10000, "zero": 0, "negative": -1, "text": "1"})
def py_12_bad_timeout(value):
    result = fresh().python("_ = 1", timeout=value)
    assert result.get("refused") and result["code"] == "invalid_argument", result
    contains(result["error"], "timeout")


# PY-13: memory is named ------------------------------------------------------------------------------------------------
@table("PY-13", {
    "one_block": "x = bytearray(1500*1024*1024)",
    "growing_list": "a=[]\nwhile True:\n    a.append(bytearray(10*1024*1024)); print(len(a))",
    "child": "import subprocess, sys\nr=subprocess.run([sys.executable, '-c', 'x=bytearray(1500*1024*1024)'])\nsys.exit(r.returncode)",
    "list_multiplication": "x = [0] * 200_000_000",
    "caught_and_again": "try:\n    x = bytearray(1500*1024*1024)\nexcept MemoryError:\n    raise",
})
def py_13(code):
    client = fresh(PYTHON_MEMORY_LIMIT="256")
    result = client.python("print('kept')\n" + code)
    equal((result["success"], result["timed_out"], result["output"].startswith("kept\n")), (False, False, True), str(result)[:600])
    if "child" not in code and "subprocess" not in code:
        equal(result["limit"], "memory", str(result)[:600])
        contains(result["error"], "256")
    equal(client.python("_ = 1")["result"], 1)


@case("PY-13", "many_children")
def py_13_children():
    """Eight children of 64 MB against a limit of 256 MB: the limit is the sandbox's, not a process's."""
    code = ("import os, time\npids=[]\nfor i in range(8):\n    pid=os.fork()\n    if pid==0:\n        x=bytearray(b'1'*(64<<20)); time.sleep(20); os._exit(0)\n"
            "    pids.append(pid)\nprint(sorted(os.waitstatus_to_exitcode(os.waitpid(p,0)[1]) for p in pids))")
    result = fresh(PYTHON_MEMORY_LIMIT="256").python(code, timeout=40)
    assert result["limit"] == "memory" or "-9" in result["output"], result


# PY-14: tracebacks are the user's ------------------------------------------------------------------------------------
@case("PY-14", "error_in_function")
def py_14():
    result = fresh().python("print('before')\ndef f(): return 1/0\nf()")
    equal((result["output"], result["success"], result["exit_code"]), ("before\n", False, 1))
    error = result["error"]
    assert error.rstrip().endswith("ZeroDivisionError: division by zero"), error
    for part in ('File "<code>", line 2, in f', 'File "<code>", line 3, in <module>', "def f(): return 1/0"):
        contains(error, part)
    equal(error.count("File "), 2, "no frames but the user's: " + error)


@case("PY-14", "syntax_error")
def py_14_syntax():
    result = fresh().python("print('x'")
    equal((result["success"], result["output"]), (False, ""))
    for part in ("SyntaxError", 'File "<code>", line 1', "^", "print('x'"):
        contains(result["error"], part)


@table("PY-14", {
    "crlf": ("x = 1\r\n\r\nraise ValueError('é')\r\n", 3, "ValueError: é"),
    "leading_blank_lines": ("\n\n\n1/0", 4, "ZeroDivisionError"),
    "tab_error": ("if 1:\n\tx=1\n        y=2", 3, "Error"),
    "chained": ("try:\n    1/0\nexcept Exception:\n    raise KeyError('k')", 4, "During handling of the above exception"),
    "indentation": ("  x = 1", 1, "IndentationError"),
})
def py_14_lines(row):
    code, line, text = row
    result = fresh().python(code)
    equal(result["success"], False)
    contains(result["error"], f'File "<code>", line {line}')
    contains(result["error"], text)
    assert "harness" not in result["error"] and "runpy" not in result["error"], result["error"]


@case("PY-14", "thread")
def py_14_thread():
    result = fresh().python("import threading\ndef f(): 1/0\nt=threading.Thread(target=f)\nt.start(); t.join()\nprint('on')")
    equal((result["output"], result["success"]), ("on\n", True))
    contains(result["error"], 'File "<code>", line 2, in f')


@case("PY-14", "nul_and_surrogates_in_code")
def py_14_nul():
    result = fresh().python("print(1)\0")
    assert result.get("refused") or not result["success"], result
