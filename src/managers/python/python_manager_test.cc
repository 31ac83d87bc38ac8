#include "managers/python/python_manager.h"

#include <gmock/gmock.h>

#include <fstream>

#include "config/settings_builder.h"
#include "managers/python/test_python.h"

namespace cmcp::managers {
namespace {

using sandbox::LimitKind;
using ::testing::EndsWith;
using ::testing::HasSubstr;

class Python : public PythonTest {};

TEST_F(Python, PrintsAndResult) {
  const PythonResult printed = run("print('hello')");
  EXPECT_EQ(printed.output, "hello\n");
  EXPECT_EQ(printed.error, "");
  EXPECT_TRUE(printed.result.is_null());
  EXPECT_TRUE(printed.success);
  EXPECT_EQ(progress_, "hello\n");
  const PythonResult value = run("_ = 42");
  EXPECT_EQ(value.output, "");
  EXPECT_EQ(value.result, 42);
  EXPECT_EQ(run("import math\ntotal = 0\nfor i in range(3): total += math.sqrt(i)\n_ = total")
                .result.is_double(),
            true);
}

TEST_F(Python, StandardLibraryOnly) {
  EXPECT_EQ(run("import sys\nprint([p for p in sys.path if 'packages' in p])").output, "[]\n");
  EXPECT_EQ(run("import json, re, sqlite3, ctypes, decimal\nprint(json.dumps({'a': 1}))").output,
            "{\"a\": 1}\n");
}

// PY-12: the limit kills the process, whatever it is busy with.
TEST_F(Python, TimeoutsOfEveryKind) {
  for (const char* code :
       {"x = 9**(9**9)", "import re; re.match('(a+)+$', 'a'*40+'b')",
        "def f():\n  while True: pass\nfor i in range(9): f()", "import time; time.sleep(60)",
        "import threading\ndef f():\n  while True: pass\nthreading.Thread(target=f).start()",
        "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: pass"}) {
    const PythonResult done =
        run_with({.code = std::string("print('kept')\n") + code, .timeout_seconds = 0.3});
    EXPECT_TRUE(done.report.timed_out) << code;
    EXPECT_EQ(done.report.exit_code, 124);
    EXPECT_EQ(done.report.limit, LimitKind::kTime);
    EXPECT_FALSE(done.success);
    EXPECT_EQ(done.output, "kept\n");
    EXPECT_THAT(done.error, EndsWith("Execution timed out after 0.3 seconds."));
  }
  EXPECT_EQ(run("_ = 1").result, 1);
}

// PY-13: memory is named.
TEST_F(Python, MemoryErrorNamesTheLimitAndThePeak) {
  options_.memory = Bytes::mebi(96);
  runner_->data_limit = Bytes::mebi(96);
  for (const char* code :
       {"x = bytearray(1500*1024*1024)", "x = [0] * 200_000_000",
        "a = []\nwhile True:\n  a.append(bytearray(10 * 1024 * 1024))\n  print('kept', end='')",
        "a = []\nwhile True: a.append(str(len(a)))"}) {
    const PythonResult done = run_with({.code = code, .timeout_seconds = 60});
    EXPECT_FALSE(done.success) << code;
    EXPECT_EQ(done.report.limit, LimitKind::kMemory) << code;
    EXPECT_THAT(done.error, HasSubstr("MemoryError")) << code;
    EXPECT_THAT(done.error, HasSubstr("Memory limit of 96 MB reached (peak ")) << code;
    EXPECT_TRUE(done.result.is_null());
  }
  EXPECT_EQ(run("_ = 1").result, 1);
  const PythonResult caught =
      run("try:\n  x = bytearray(1 << 30)\nexcept MemoryError:\n  _ = 'caught'");
  EXPECT_EQ(caught.result, "caught");
  EXPECT_EQ(caught.report.limit, LimitKind::kNone);
}

TEST_F(Python, RequestIsTheContractOfTheProfile) {
  std::filesystem::create_directory(workspace_ / "sub");
  const PythonResult done =
      run_with({.code = "import os\nprint(os.path.basename(os.getcwd()), os.environ['A'])",
                .working_dir = "/workspace/sub",
                .timeout_seconds = 7,
                .environment = {{"A", "1"}}});
  EXPECT_EQ(done.output, "sub 1\n");
  EXPECT_EQ(runner_->last.profile, "python");
  EXPECT_EQ(runner_->last.principal, "local");
  EXPECT_EQ(runner_->last.working_dir, "sub");
  EXPECT_EQ(runner_->last.timeout, std::chrono::seconds(7));
  EXPECT_TRUE(runner_->last.result_channel);
}

TEST_F(Python, BadArgumentsAreRefusedBeforeAnythingRuns) {
  const auto code_of = [&](PythonRequest request) {
    return try_run(std::move(request)).error().code();
  };
  EXPECT_EQ(code_of({.code = "1", .timeout_seconds = 121}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of({.code = "1", .timeout_seconds = 0}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of({.code = "1", .environment = {{"PYTHONPATH", "/x"}}}),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of({.code = "1", .environment = {{"LD_PRELOAD", "/x"}}}),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of({.code = "'\xED\xA0\x80'"}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(runner_->starts, 0);
}

TEST_F(Python, AbsentOrOutsideWorkingDirRunsNothing) {
  options_.check_working_dir = [&](const std::string& relative) -> Result<std::string> {
    if (std::filesystem::is_directory(workspace_ / relative)) return relative;
    return Error(ErrorCode::kNotFound, "there is no such directory in the workspace.");
  };
  for (const char* directory : {"gone", "../x", "/workspace/../etc"}) {
    const PythonResult done = run_with({.code = "print(1)", .working_dir = directory});
    EXPECT_EQ(done.report.exit_code, 126);
    EXPECT_FALSE(done.success);
    EXPECT_EQ(done.output, "");
    EXPECT_THAT(done.error, HasSubstr(directory));
  }
  EXPECT_EQ(runner_->starts, 0);
  EXPECT_TRUE(run("1").success);
}

TEST_F(Python, RunnerErrorsAreErrors) {
  for (const ErrorCode code : {ErrorCode::kBusy, ErrorCode::kUnavailable}) {
    runner_->refusal = Error(code, "why");
    const auto refused = try_run({.code = "1"});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code(), code);
    EXPECT_EQ(refused.error().message(), "why");
  }
}

TEST(PythonOutcome, SandboxFailuresAndForeignResultBytes) {
  const RunLimits limits{std::chrono::seconds(1), Bytes::mebi(256)};
  sandbox::RunOutcome killed;
  killed.end = sandbox::RunOutcome::End::kSignaled;
  killed.signal = SIGKILL;
  killed.exit_code = 137;
  killed.limit = LimitKind::kMemory;
  killed.out.text = "kept\n";
  killed.usage.peak_memory_bytes = Bytes::mebi(256).count;
  const PythonResult oom = python_result_of(killed, limits);
  EXPECT_EQ(oom.output, "kept\n");
  EXPECT_EQ(
      oom.error,
      "Memory limit of 256 MB reached (peak 256 MB). The setting PYTHON_MEMORY_LIMIT changes it.");
  for (const char* bytes :
       {"", "x", "{", "[1]", "{\"result\": 1}{\"result\": 2}", "{\"memory_error\": 3}"}) {
    sandbox::RunOutcome outcome;
    outcome.end = sandbox::RunOutcome::End::kExited;
    outcome.exit_code = 0;
    outcome.result = bytes;
    const PythonResult done = python_result_of(outcome, limits);
    EXPECT_TRUE(done.result.is_null()) << bytes;
    EXPECT_EQ(done.report.limit, LimitKind::kNone);
    EXPECT_TRUE(done.success);
  }
  sandbox::RunOutcome absent;
  absent.end = sandbox::RunOutcome::End::kNotStarted;
  absent.exit_code = 127;
  absent.failure = "There is no /usr/bin/python3.11 in the sandbox.";
  EXPECT_EQ(python_result_of(absent, limits).error, absent.failure);
}

TEST(PythonInterpreter, NewestOfTheDirectoryAndNothingBelowEleven) {
  std::string pattern = ::testing::TempDir() + "interpreter_XXXXXX";
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  const std::filesystem::path directory = pattern;
  const auto add = [&](const char* name) {
    std::ofstream(directory / name) << "#!/bin/sh\n";
    std::filesystem::permissions(directory / name, std::filesystem::perms::owner_all);
  };
  add("python3.9");
  add("python3.13-config");
  EXPECT_EQ(find_python(pattern).error().code(), ErrorCode::kNotFound);
  add("python3.11");
  add("python3.12");
  std::ofstream(directory / "python3.14") << "not executable";
  EXPECT_EQ(find_python(pattern).value(), pattern + "/python3.12");
  std::filesystem::remove_all(directory);
}

TEST(PythonConfig, OptionsComeFromTheSettings) {
  config::SettingsBuilder builder;
  builder.with("PYTHON_TIMEOUT_DEFAULT", "7")
      .with("PYTHON_TIMEOUT_MAX", "9")
      .with("PYTHON_MEMORY_LIMIT", "128");
  builder.with("PYTHON_PATH", "/usr/bin/python3.11")
      .with("OUTPUT_MAX_CHARS", "100")
      .with("OUTPUT_KEEP_MB", "2");
  TestRunner runner("/");
  const PythonManager manager = PythonManager::from_config(builder.build({}), runner, {}).value();
  EXPECT_EQ(manager.options().python_path, "/usr/bin/python3.11");
  EXPECT_EQ(manager.options().timeout.default_value.count(), 7);
  EXPECT_EQ(manager.options().timeout.maximum.count(), 9);
  EXPECT_EQ(manager.options().memory, Bytes::mebi(128));
  EXPECT_EQ(manager.options().budget.max_chars, 100U);
  EXPECT_EQ(manager.options().budget.keep, Bytes::mebi(2));
}

}  // namespace
}  // namespace cmcp::managers
