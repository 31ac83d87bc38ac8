// What code sees and what comes out of it: the harness, run by the real interpreter.
#include <gmock/gmock.h>

#include <fstream>

#include "managers/python/test_python.h"

namespace cmcp::managers {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Harness : public PythonTest {};

// -- PY-16: a real __main__ module
// --------------------------------------------------------------------------------------

TEST_F(Harness, CodeIsTheMainModule) {
  EXPECT_THAT(run("import math\ndef g(): return math.pi\nprint(g())").output,
              StartsWith("3.14159"));
  EXPECT_EQ(run("def fact(n): return 1 if n<2 else n*fact(n-1)\nprint(fact(5))").output, "120\n");
  EXPECT_EQ(run("class A: pass\ndef mk(): return A()\nprint(type(mk()).__name__)").output, "A\n");
  EXPECT_EQ(run("n=3\nprint([n*i for i in range(3)])").output, "[0, 3, 6]\n");
  EXPECT_EQ(run("if __name__ == '__main__': print('main')").output, "main\n");
  EXPECT_EQ(run("import sys\nx=1\nprint(sys.modules['__main__'].x, sys.argv, sorted(k for k in "
                "dir() if k[0] != '_'))")
                .output,
            "1 ['<code>'] ['sys', 'x']\n");
  EXPECT_EQ(run("global y\ny = 1\ndef f():\n  global y\n  y += 1\nf(); f()\nprint(y)").output,
            "3\n");
}

TEST_F(Harness, PicklingAndMultiprocessingFindItsFunctions) {
  EXPECT_EQ(run("import pickle\nclass P:\n  def __init__(s, x): s.x = "
                "x\nprint(pickle.loads(pickle.dumps(P(4))).x)")
                .output,
            "4\n");
  const PythonResult pool =
      run("import multiprocessing as m\n"
          "def square(x): return x * x\n"
          "if __name__ == '__main__':\n"
          "  with m.get_context('fork').Pool(2) as p: _ = p.map(square, range(4))\n");
  EXPECT_EQ(pool.error, "");
  EXPECT_EQ(json::write(pool.result), "[0,1,4,9]");
}

TEST_F(Harness, ModulesOfTheWorkingDirectoryAreImportable) {
  std::ofstream(workspace_ / "helper.py") << "def twice(x): return 2 * x\n";
  std::ofstream(workspace_ / "traceback.py") << "raise RuntimeError('not for the harness')\n";
  EXPECT_EQ(result_of("import helper\nhelper.twice(21)"), "42");
  EXPECT_FALSE(std::filesystem::exists(workspace_ / "__pycache__"));
  EXPECT_THAT(run("1/0").error, EndsWith("ZeroDivisionError: division by zero\n"));
}

TEST_F(Harness, TopLevelAwait) {
  EXPECT_EQ(
      result_of(
          "import asyncio\nasync def f(x):\n  await asyncio.sleep(0)\n  return x\nawait f(7)"),
      "7");
  EXPECT_EQ(
      result_of(
          "import asyncio\n_ = await asyncio.gather(asyncio.sleep(0, 'a'), asyncio.sleep(0, 'b'))"),
      R"(["a","b"])");
  EXPECT_EQ(run("import asyncio\nasync def main(): print('ran')\nasyncio.run(main())").output,
            "ran\n");
  const PythonResult failed = run("async def f():\n  raise KeyError('k')\nawait f()\n");
  EXPECT_EQ(failed.error,
            "Traceback (most recent call last):\n"
            "  File \"<code>\", line 3, in <module>\n    await f()\n"
            "  File \"<code>\", line 2, in f\n    raise KeyError('k')\n"
            "KeyError: 'k'\n");
  const PythonResult left =
      run("print('a')\nimport asyncio, sys\nawait asyncio.sleep(0)\nsys.exit(5)");
  EXPECT_EQ(left.output, "a\n");
  EXPECT_EQ(left.report.exit_code, 5);
}

// -- PY-17: every way to leave
// ------------------------------------------------------------------------------------------

TEST_F(Harness, ExitsKeepWhatWasPrinted) {
  struct Row {
    const char* code;
    int exit_code;
    const char* output;
    const char* error;
  };
  const Row rows[] = {
      {"print('kept'); import sys; sys.exit(3)", 3, "kept\n", ""},
      {"print('kept'); import sys; sys.exit()", 0, "kept\n", ""},
      {"print('kept'); import sys; sys.exit(0)", 0, "kept\n", ""},
      {"print('kept'); import sys; sys.exit('why')", 1, "kept\n", "why\n"},
      {"print('kept'); exit()", 0, "kept\n", ""},
      {"print('kept'); quit(2)", 2, "kept\n", ""},
      {"print('kept'); raise SystemExit", 0, "kept\n", ""},
      {"print('kept'); raise SystemExit(None)", 0, "kept\n", ""},
      {"print('kept'); raise SystemExit(True)", 1, "kept\n", ""},
      {"import os; print('x', flush=True); os._exit(4)", 4, "x\n", ""},
      {"import os; print('x', end=''); os._exit(0)", 0, "x", ""},
  };
  for (const Row& row : rows) {
    const PythonResult done = run(row.code);
    EXPECT_EQ(done.report.exit_code, row.exit_code) << row.code;
    EXPECT_EQ(done.success, row.exit_code == 0) << row.code;
    EXPECT_EQ(done.output, row.output) << row.code;
    EXPECT_EQ(done.error, row.error) << row.code;
    EXPECT_EQ(done.report.signal, 0) << row.code;
  }
}

TEST_F(Harness, KeyboardInterruptIs130) {
  const PythonResult done = run("print('kept')\nraise KeyboardInterrupt");
  EXPECT_EQ(done.output, "kept\n");
  EXPECT_EQ(done.report.exit_code, 130);
  EXPECT_FALSE(done.success);
  EXPECT_THAT(done.error, EndsWith("KeyboardInterrupt\n"));
}

TEST_F(Harness, SignalsAreReported) {
  const PythonResult aborted = run("print('x', end='')\nimport os\nos.abort()");
  EXPECT_EQ(aborted.output, "x");
  EXPECT_EQ(aborted.report.signal, SIGABRT);
  EXPECT_EQ(aborted.report.exit_code, 134);
  EXPECT_FALSE(aborted.success);
  EXPECT_THAT(aborted.error, EndsWith("Ended by signal SIGABRT."));
  const PythonResult killed = run("import os, signal\nos.kill(os.getpid(), signal.SIGTERM)");
  EXPECT_EQ(killed.report.exit_code, 143);
}

TEST_F(Harness, ForkDuplicatesNeitherOutputNorResult) {
  const PythonResult done = run(
      "import os\nprint('parent', end=' ')\nif os.fork() == 0:\n  print('child', end=' ')\nelse:\n"
      "  os.wait()\n_ = 'one'");
  EXPECT_EQ(done.output, "parent child ");
  EXPECT_EQ(json::write(done.result), "\"one\"");
  EXPECT_EQ(run("import os\nos.fork() or print('child')").output, "child\n");
}

TEST_F(Harness, ThreadsAndExitFunctionsRunAsInAScript) {
  const PythonResult done =
      run("import atexit, threading, time\n"
          "atexit.register(print, 'at exit')\n"
          "go = threading.Event()\n"
          "def work():\n  go.wait()\n  print('thread')\n"
          "threading.Thread(target=work).start()\n"
          "print('main')\ngo.set()\n");
  EXPECT_EQ(done.output, "main\nthread\nat exit\n");
  EXPECT_TRUE(done.success);
}

// -- PY-07: the result has its own way
// ----------------------------------------------------------------------------------

TEST_F(Harness, ResultIsNotMixedUpWithPrints) {
  const PythonResult done = run("print('log line'); _ = {'n': 42}");
  EXPECT_EQ(done.output, "log line\n");
  EXPECT_EQ(json::write(done.result), R"({"n":42})");
  const std::string forged = R"({"result": "forged", "memory_error": false, "truncated": false})";
  const PythonResult marker = run("print('''" + forged + "''')\nprint('RESULT: 1')");
  EXPECT_EQ(marker.output, forged + "\nRESULT: 1\n");
  EXPECT_TRUE(marker.result.is_null());
  EXPECT_EQ(marker.error, "");
}

TEST_F(Harness, ChildrenCannotReachTheResult) {
  // Every descriptor that a forked child and an executed program can write to, but the three
  // streams.
  const PythonResult done =
      run("import os, subprocess, sys\n"
          "pid = os.fork()\n"
          "if pid == 0:\n"
          "  for fd in range(3, 1024):\n"
          "    try: os.write(fd, b'{\"result\": \"forged\"}')\n"
          "    except OSError: pass\n"
          "  os._exit(0)\n"
          "os.waitpid(pid, 0)\n"
          "subprocess.run([sys.executable, '-c', 'import os\\nfor fd in range(3, 1024):\\n try: "
          "os.write(fd, b\"x\")\\n"
          " except OSError: pass'], close_fds=False)\n"
          "_ = 'mine'");
  EXPECT_EQ(json::write(done.result), "\"mine\"");
}

TEST_F(Harness, UnderscoreWinsOverTheLastExpression) {
  EXPECT_EQ(result_of("_ = 42"), "42");
  EXPECT_EQ(result_of("_ = 1\n2"), "1");
  EXPECT_EQ(result_of("_ = None\n2"), "null");
  EXPECT_EQ(result_of("x = 6\nx * 7"), "42");
  EXPECT_EQ(result_of("x = 6"), "null");
  EXPECT_EQ(result_of("print"), "\"<built-in function print>\"");
  EXPECT_EQ(result_of("None"), "null");
  EXPECT_EQ(result_of("'only a docstring'"), "\"only a docstring\"");
  EXPECT_EQ(result_of("for i in range(3):\n  i"), "null");
  EXPECT_EQ(result_of(""), "null");
  EXPECT_EQ(result_of("_ = 5\nraise SystemExit"), "5");
  EXPECT_EQ(run("print(1)").error, "");
  EXPECT_TRUE(run("_ = 5\n1/0").result.is_null());
}

TEST_F(Harness, ResultFormsAreThoseOfTheDocumentation) {
  struct Row {
    const char* code;
    const char* json;
  };
  const Row rows[] = {
      {"{'a': [1, 2.5, True, None, 'x']}", R"({"a":[1,2.5,true,null,"x"]})"},
      {"float('nan'), float('inf'), -float('inf')", R"(["NaN","Infinity","-Infinity"])"},
      {"2**53 - 1, 2**53, -2**64",
       R"([9007199254740991,"9007199254740992","-18446744073709551616"])"},
      {"b'\\x00\\xff'", R"({"base64":"AP8="})"},
      {"bytearray(b'a'), memoryview(b'b')", R"([{"base64":"YQ=="},{"base64":"Yg=="}])"},
      {"{3, 1, 2}", "[1,2,3]"},
      {"frozenset({'b', 'a'})", R"(["a","b"])"},
      {"{1, 'a'}", R"(["a",1])"},
      {"(1, (2,))", "[1,[2]]"},
      {"range(3)", "[0,1,2]"},
      {"{1: 'a', None: 'b', True: 'c', (1, 2): 'd', 1.5: 'e'}",
       R"j({"1":"c","null":"b","(1, 2)":"d","1.5":"e"})j"},
      {"{2: 'a', '2': 'b'}", R"({"2":"a","'2'":"b"})"},
      {"{'a': 1}.keys()", R"(["a"])"},
      {"import datetime as d\nd.datetime(2026, 1, 2, 3, 4, 5, tzinfo=d.timezone.utc), d.date(2026, "
       "1, 2), d.time(3, 4)",
       R"(["2026-01-02T03:04:05+00:00","2026-01-02","03:04:00"])"},
      {"import datetime as d\nd.timedelta(minutes=1)", "60.0"},
      {"from decimal import Decimal\nDecimal('0.10')", "\"0.10\""},
      {"from fractions import Fraction\nFraction(1, 3)", "\"1/3\""},
      {"import uuid\nuuid.UUID(int=1)", "\"00000000-0000-0000-0000-000000000001\""},
      {"from pathlib import Path\nPath('/a/b')", "\"/a/b\""},
      {"import enum\nclass E(enum.Enum):\n  A = 'x'\nE.A", "\"x\""},
      {"from dataclasses import dataclass, field\n@dataclass\nclass P:\n  x: int\n  y: list = "
       "field(default_factory=list)\nP(1)",
       R"({"x":1,"y":[]})"},
      {"from collections import namedtuple, deque, Counter\nnamedtuple('N', 'a b')(1, 2), "
       "deque([1]), Counter('aa')",
       R"([{"a":1,"b":2},[1],{"a":2}])"},
      {"'\\ud800x \\U0001f600'", "\"\xEF\xBF\xBDx \xF0\x9F\x98\x80\""},
      {"3 + 4j", "\"(3+4j)\""},
      {"class C:\n  def __repr__(self): return 'a C'\nC()", "\"a C\""},
      {"class C:\n  def __repr__(self): return 1/0\nC()", "\"<C that cannot be shown>\""},
      {"class L(list):\n  def __iter__(self): raise ValueError\n[1, L([2])]",
       R"([1,"<L that cannot be shown>"])"},
      {"a = [1]\na.append(a)\na", R"([1,"<cycle>"])"},
      {"d = {}\nd['d'] = d\nd", R"({"d":"<cycle>"})"},
      {"x = [1]\n[x, x]", "[[1],[1]]"},
  };
  for (const Row& row : rows) EXPECT_EQ(result_of(row.code), row.json) << row.code;
}

TEST_F(Harness, LargeAndDeepResultsAreBounded) {
  const PythonResult large = run("['x' * 1000] * 100000");
  EXPECT_TRUE(large.success);
  EXPECT_TRUE(large.report.truncated);
  EXPECT_LT(json::write(large.result).size(), (1U << 20U) + 4096U);
  EXPECT_THAT(json::write(large.result), EndsWith(" more\"]"));
  const PythonResult text = run("'y' * 5_000_000");
  EXPECT_TRUE(text.report.truncated);
  EXPECT_THAT(json::write(text.result), EndsWith("y\xE2\x80\xA6\""));
  EXPECT_THAT(result_of("10**5000"), StartsWith("\"0x"));  // more digits than Python converts
  const PythonResult deep = run("a = 1\nfor i in range(100): a = [a]\na");
  EXPECT_THAT(json::write(deep.result), HasSubstr("<list nested too deep>"));
  const PythonResult keys = run("{i: 'x' * 100 for i in range(100000)}");
  EXPECT_TRUE(keys.report.truncated);
  EXPECT_TRUE(keys.result.is_object());
}

// -- PY-08: nobody answers
// ----------------------------------------------------------------------------------------------

TEST_F(Harness, InputWithoutStdinIsEndOfFile) {
  const PythonResult asked = run("print('before', end=''); name = input('who? '); print(name)");
  EXPECT_EQ(asked.output, "beforewho? ");
  EXPECT_THAT(asked.error, EndsWith("EOFError: EOF when reading a line\n"));
  EXPECT_FALSE(asked.success);
  EXPECT_EQ(run("import sys; print(repr(sys.stdin.read()))").output, "''\n");
  EXPECT_EQ(
      run_with({.code = "print(input('who? ')); print(input())", .stdin_data = "Ada\nBob"}).output,
      "who? Ada\nBob\n");
}

// -- PY-14: tracebacks
// --------------------------------------------------------------------------------------------------

TEST_F(Harness, TracebackNamesTheCodesOwnLines) {
  const PythonResult done = run("print('before')\ndef f(): return 1/0\nf()");
  EXPECT_EQ(done.output, "before\n");
  EXPECT_FALSE(done.success);
  EXPECT_EQ(done.report.exit_code, 1);
  EXPECT_EQ(done.error,
            "Traceback (most recent call last):\n"
            "  File \"<code>\", line 3, in <module>\n    f()\n"
            "  File \"<code>\", line 2, in f\n    def f(): return 1/0\n                    ~^~\n"
            "ZeroDivisionError: division by zero\n");
}

TEST_F(Harness, SyntaxErrorsShowLineAndCaret) {
  const PythonResult open = run("print('x'");
  EXPECT_EQ(
      open.error,
      "  File \"<code>\", line 1\n    print('x'\n         ^\nSyntaxError: '(' was never closed\n");
  EXPECT_FALSE(open.success);
  EXPECT_EQ(run("x = 1\nreturn x\n").error,
            "  File \"<code>\", line 2\n    return x\n    ^^^^^^^^\nSyntaxError: 'return' outside "
            "function\n");
  EXPECT_THAT(run("if 1:\n\tx = 1\n        y = 2\n").error, HasSubstr("TabError"));
  EXPECT_THAT(run(std::string("x = 1\0", 6)).error, HasSubstr("null bytes"));
}

TEST_F(Harness, LineEndingsAndBlankLinesKeepTheNumbers) {
  const PythonResult crlf =
      run("\r\n\r\nx = 1\r\nif x:\r\n\tprint('tab')\r\n\traise ValueError('v')\r\n");
  EXPECT_EQ(crlf.output, "tab\n");
  EXPECT_EQ(crlf.error,
            "Traceback (most recent call last):\n  File \"<code>\", line 6, in <module>\n    raise "
            "ValueError('v')\n"
            "ValueError: v\n");
  EXPECT_THAT(run("\n\n\n\n1/0").error, HasSubstr("line 5, in <module>\n    1/0\n"));
  EXPECT_EQ(run("\xEF\xBB\xBFprint('bom')").output, "bom\n");
  EXPECT_EQ(run("print('''a\x0c\xE2\x80\xA8z''')\nx=1\n").error, "");
}

TEST_F(Harness, ChainsThreadsAndOwnTracebacksHaveSourceLines) {
  const PythonResult chained =
      run("try:\n  1/0\nexcept ZeroDivisionError as e:\n  raise KeyError('k') from e");
  EXPECT_THAT(chained.error, HasSubstr("line 2, in <module>\n    1/0\n"));
  EXPECT_THAT(chained.error, HasSubstr("direct cause"));
  EXPECT_THAT(chained.error, HasSubstr("line 4, in <module>\n    raise KeyError('k') from e\n"));
  const PythonResult thread =
      run("import threading\ndef work():\n  1/0\nt = threading.Thread(target=work, "
          "name='T')\nt.start()");
  EXPECT_TRUE(thread.success);
  EXPECT_THAT(thread.error, StartsWith("Exception in thread T:\nTraceback"));
  EXPECT_THAT(thread.error, HasSubstr("line 3, in work\n    1/0\n"));
  const PythonResult printed =
      run("import traceback\ntry:\n  1/0\nexcept Exception:\n  traceback.print_exc()");
  EXPECT_THAT(printed.error, HasSubstr("line 3, in <module>\n    1/0\n"));
  const PythonResult ignored = run("class D:\n  def __del__(self): 1/0\nD()\n_ = None");
  EXPECT_THAT(ignored.error, HasSubstr("line 2, in __del__\n"));
  EXPECT_EQ(run("import inspect\ndef f():\n  return 1\nprint(inspect.getsource(f))").output,
            "def f():\n  return 1\n\n");
  for (const PythonResult* one : {&chained, &thread, &printed, &ignored}) {
    EXPECT_THAT(one->error, Not(HasSubstr("<string>")));
    EXPECT_THAT(one->error, Not(HasSubstr("<harness>")));
  }
}

TEST_F(Harness, TheCodesOwnExceptionHookIsUsed) {
  const PythonResult done =
      run("import sys\nsys.excepthook = lambda k, e, t: print('hook', e)\n1/0");
  EXPECT_EQ(done.output, "hook division by zero\n");
  EXPECT_EQ(done.error, "");
  EXPECT_EQ(done.report.exit_code, 1);
}

TEST_F(Harness, RecursionAndExceptionGroups) {
  const PythonResult deep = run("def f(): f()\nf()");
  EXPECT_THAT(deep.error, HasSubstr("RecursionError"));
  EXPECT_LT(deep.error.size(), 2000U);
  EXPECT_THAT(run("raise ExceptionGroup('g', [ValueError('a'), KeyError('b')])").error,
              HasSubstr("ValueError: a"));
}

}  // namespace
}  // namespace cmcp::managers
