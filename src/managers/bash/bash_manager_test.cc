#include "managers/bash/bash_manager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cmcp::managers {
namespace {

using sandbox::LimitKind;
using sandbox::RunOutcome;
using testing::ElementsAre;
using testing::HasSubstr;

class FakeHandle : public sandbox::RunHandle {
 public:
  explicit FakeHandle(int& cancels) : cancels_(cancels) {}
  void cancel() override { ++cancels_; }

 private:
  int& cancels_;
};

// Remembers what it is asked to start; the test ends the run.
class FakeRunner : public sandbox::Runner {
 public:
  Result<std::shared_ptr<sandbox::RunHandle>> start(sandbox::RunRequest request,
                                                    sandbox::RunEvents events) override {
    if (refuse) return *refuse;
    requests.push_back(std::move(request));
    last = std::move(events);
    return std::shared_ptr<sandbox::RunHandle>(std::make_shared<FakeHandle>(cancels));
  }

  std::optional<Error> refuse;
  std::vector<sandbox::RunRequest> requests;
  sandbox::RunEvents last;
  int cancels = 0;
};

class BashManagerTest : public testing::Test {
 protected:
  static BashOptions options() {
    BashOptions out;
    out.allowed_commands = {"echo", "ls", "cat"};
    out.timeout = {std::chrono::seconds(30), std::chrono::seconds(120)};
    out.budget = {1234, Bytes::mebi(3)};
    return out;
  }

  std::shared_ptr<sandbox::RunHandle> run(BashRequest request) {
    answers.clear();
    return manager.run(principal, std::move(request),
                       {[this](Result<BashResult> result) { answers.push_back(std::move(result)); },
                        [this](std::string_view text) { output += text; }});
  }
  // The result of a command that must be answered without a run.
  BashResult answer(BashRequest request) {
    EXPECT_EQ(run(std::move(request)), nullptr);
    EXPECT_TRUE(runner.requests.empty());
    return result();
  }
  BashResult result() {
    EXPECT_EQ(answers.size(), 1U);
    if (answers.size() != 1 || !answers[0].ok()) return {};
    return *answers[0];
  }
  BashResult end(RunOutcome outcome, std::optional<double> timeout = std::nullopt) {
    EXPECT_NE(run({.command = "ls", .timeout_seconds = timeout}), nullptr);
    runner.last.done(std::move(outcome));
    return result();
  }
  ErrorCode refused(BashRequest request) {
    EXPECT_EQ(run(std::move(request)), nullptr);
    EXPECT_TRUE(runner.requests.empty());
    EXPECT_TRUE(answers.size() == 1 && !answers[0].ok());
    return answers.size() == 1 && !answers[0].ok() ? answers[0].error().code()
                                                   : ErrorCode::kInternal;
  }

  auth::Principal principal{"alice"};
  FakeRunner runner;
  BashManager manager{runner, options(), [](const std::string& relative) -> Result<std::string> {
                        if (relative == "gone")
                          return Error(ErrorCode::kNotFound, "There is no such directory.");
                        return relative;
                      }};
  std::vector<Result<BashResult>> answers;
  std::string output;
};

TEST_F(BashManagerTest, AsksForTheWholeRun) {
  const auto handle = run({.command = "echo a | cat",
                           .working_dir = "/workspace/sub",
                           .timeout_seconds = 2.5,
                           .stdin_data = "in",
                           .environment = {{"A", "1"}, {"B", ""}}});
  ASSERT_NE(handle, nullptr);
  ASSERT_EQ(runner.requests.size(), 1U);
  const auto& request = runner.requests[0];
  EXPECT_EQ(request.profile, "bash");
  EXPECT_EQ(request.principal, "alice");
  EXPECT_THAT(request.argv,
              ElementsAre("/bin/bash", "--norc", "--noprofile", "-c", "echo a | cat", "bash"));
  EXPECT_THAT(request.environment, ElementsAre("A=1", "B="));
  EXPECT_EQ(request.working_dir, "sub");
  EXPECT_EQ(request.timeout, std::chrono::milliseconds(2500));
  EXPECT_EQ(request.stdin_data, "in");
  EXPECT_EQ(request.budget.max_chars, 1234U);
  EXPECT_EQ(request.budget.keep, Bytes::mebi(3));
  runner.last.output("some");
  EXPECT_EQ(output, "some");
  handle->cancel();
  EXPECT_EQ(runner.cancels, 1);
  EXPECT_TRUE(answers.empty());
}

TEST_F(BashManagerTest, WithoutStdinThereIsNone) {
  run({.command = "ls"});
  EXPECT_EQ(runner.requests.at(0).stdin_data, std::nullopt);
  EXPECT_EQ(runner.requests.at(0).timeout, std::chrono::seconds(30));
}

TEST_F(BashManagerTest, RefusesWhatIsNotListed) {
  const BashResult result = answer({.command = "echo ok\nid"});
  EXPECT_FALSE(result.success);
  EXPECT_EQ(result.report.exit_code, 126);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("Command not allowed: id. Allowed commands: echo, ls, cat"));
  EXPECT_THAT(result.err, HasSubstr("BASH_ALLOWED_COMMANDS"));
}

TEST_F(BashManagerTest, NamesEveryRefusedCommand) {
  EXPECT_THAT(answer({.command = "id; wc; \x01x"}).err,
              HasSubstr("not allowed: id. Allowed commands: echo, ls, cat. Also "
                        "not allowed: wc, \\x01x."));
  EXPECT_THAT(answer({.command = "ls\r\n"}).err, HasSubstr("CR LF"));
}

TEST_F(BashManagerTest, KeepsTheOriginalTextsForEmptyCommandAndEmptyList) {
  for (const char* command : {"", " ", "\n\t"}) {
    const BashResult result = answer({.command = command});
    EXPECT_EQ(result.err, "Empty command");
    EXPECT_EQ(result.report.exit_code, 1);
    EXPECT_FALSE(result.success);
  }
  BashManager nothing(runner, BashOptions{}, {});
  nothing.run(principal, {.command = "true"},
              {[this](Result<BashResult> r) { answers = {std::move(r)}; }, {}});
  EXPECT_EQ(result().err,
            "Command restrictions enabled but no commands are allowed. Add commands to "
            "BASH_ALLOWED_COMMANDS or set "
            "COMMAND_RESTRICTED=false");
  EXPECT_EQ(result().report.exit_code, 126);
  EXPECT_TRUE(runner.requests.empty());
}

TEST_F(BashManagerTest, WithoutRestrictionEverythingIsStarted) {
  BashManager open(runner, {.restricted = false}, {});
  open.run(principal, {.command = "anything; at all"}, {[](Result<BashResult>) { FAIL(); }, {}});
  EXPECT_EQ(runner.requests.size(), 1U);
}

#ifdef CMCP_TEST_SWITCHES
TEST_F(BashManagerTest, TheParserCanBeLeftOutInTests) {
  BashOptions without = options();
  without.skip_parser = true;
  BashManager open(runner, without, {});
  open.run(principal, {.command = "id"}, {[](Result<BashResult>) { FAIL(); }, {}});
  EXPECT_EQ(runner.requests.size(), 1U);
}
#endif

TEST_F(BashManagerTest, ABadWorkingDirectoryIsAResult) {
  for (const char* directory :
       {"gone", "/workspace/gone", "..", "/workspace/../etc", "a/../../b"}) {
    const BashResult result = answer({.command = "ls", .working_dir = directory});
    EXPECT_EQ(result.report.exit_code, 126) << directory;
    EXPECT_FALSE(result.success);
    EXPECT_THAT(result.err, HasSubstr(std::string("\"") + directory + "\"")) << directory;
    EXPECT_THAT(result.err, HasSubstr("Nothing was run")) << directory;
  }
}

TEST_F(BashManagerTest, BadArgumentsAreErrors) {
  EXPECT_EQ(refused({.command = std::string("ls\0-l", 5)}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(refused({.command = "ls", .timeout_seconds = 121}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(refused({.command = "ls", .timeout_seconds = 0}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(refused({.command = "ls", .environment = {{"BASH_ENV", "x"}}}),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(refused({.command = "ls", .environment = {{"LD_PRELOAD", "x"}}}),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(refused({.command = "ls", .environment = {{"a b", "x"}}}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(refused({.command = "ls", .working_dir = std::string("a\0b", 3)}),
            ErrorCode::kInvalidArgument);
}

TEST_F(BashManagerTest, ACommandAboveTheKernelsLimitSaysWhatToDo) {
  const BashResult result = answer({.command = "echo " + std::string(kMaxCommandBytes, 'x')});
  EXPECT_EQ(result.report.exit_code, 126);
  EXPECT_THAT(result.err, HasSubstr("at most 131071"));
  EXPECT_THAT(result.err, HasSubstr("source FILE"));
  run({.command = "echo " + std::string(kMaxCommandBytes - 5, 'x')});
  EXPECT_EQ(runner.requests.size(), 1U);
}

TEST_F(BashManagerTest, PassesTheRunnersErrorsOn) {
  runner.refuse = Error(ErrorCode::kBusy, "busy now");
  EXPECT_EQ(refused({.command = "ls"}), ErrorCode::kBusy);
  runner.refuse = Error(ErrorCode::kUnavailable, "level L1");
  EXPECT_EQ(refused({.command = "ls"}), ErrorCode::kUnavailable);
}

TEST_F(BashManagerTest, ReportsAnExit) {
  RunOutcome outcome;
  outcome.end = RunOutcome::End::kExited;
  outcome.exit_code = 0;
  outcome.out.text = "front finished\n";
  outcome.killed_processes = 1;
  const BashResult result = end(outcome);
  EXPECT_TRUE(result.success);
  EXPECT_EQ(result.out, "front finished\n");
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.report.killed_processes, 1U);
  outcome.exit_code = 44;
  EXPECT_FALSE(end(outcome).success);
}

TEST_F(BashManagerTest, ReportsASignal) {
  RunOutcome outcome;
  outcome.end = RunOutcome::End::kSignaled;
  outcome.signal = 9;
  outcome.exit_code = 137;
  outcome.out.text = "partial\n";
  const BashResult result = end(outcome);
  EXPECT_FALSE(result.success);
  EXPECT_EQ(result.report.exit_code, 137);
  EXPECT_EQ(result.report.signal, 9);
  EXPECT_EQ(result.out, "partial\n");
}

TEST_F(BashManagerTest, ReportsATimeoutWithWhatWasPrinted) {
  RunOutcome outcome;
  outcome.end = RunOutcome::End::kTimedOut;
  outcome.limit = LimitKind::kTime;
  outcome.exit_code = 124;
  outcome.out.text = "so far";
  outcome.err.text = "warning";
  const BashResult result = end(outcome, 1.5);
  EXPECT_EQ(result.report.exit_code, 124);
  EXPECT_TRUE(result.report.timed_out);
  EXPECT_EQ(result.out, "so far");
  EXPECT_THAT(result.err,
              testing::StartsWith("warning\nCommand execution timed out after 1.5 seconds."));
  EXPECT_THAT(end(outcome).err, HasSubstr("Command execution timed out after 30 seconds"));
}

TEST_F(BashManagerTest, NamesTheLimitAndItsSetting) {
  RunOutcome outcome;
  outcome.end = RunOutcome::End::kSignaled;
  outcome.signal = 9;
  outcome.exit_code = 137;
  for (const auto& [limit, setting] : std::vector<std::pair<LimitKind, const char*>>{
           {LimitKind::kMemory, "BASH_MEMORY_LIMIT"},
           {LimitKind::kCpu, "SANDBOX_CPU_SECONDS"},
           {LimitKind::kProcesses, "SANDBOX_MAX_PROCESSES"},
           {LimitKind::kDisk, "SANDBOX_TMP_MB"}}) {
    outcome.limit = limit;
    EXPECT_THAT(end(outcome).err, HasSubstr(setting));
  }
  outcome.limit = LimitKind::kMemory;
  EXPECT_THAT(end(outcome).err, HasSubstr("512 MB"));
}

TEST_F(BashManagerTest, ARunThatDidNotStartIsAResultAndAFailedSandboxIsNot) {
  RunOutcome outcome;
  outcome.end = RunOutcome::End::kNotStarted;
  outcome.exit_code = 126;
  outcome.failure = "The working directory is gone.";
  EXPECT_EQ(end(outcome).err, "The working directory is gone.");
  EXPECT_EQ(result().report.exit_code, 126);
  for (const auto& [how, code] : std::vector<std::pair<RunOutcome::End, ErrorCode>>{
           {RunOutcome::End::kCancelled, ErrorCode::kCancelled},
           {RunOutcome::End::kSandboxFailed, ErrorCode::kUnavailable}}) {
    run({.command = "ls"});
    RunOutcome failed;
    failed.end = how;
    runner.last.done(failed);
    ASSERT_EQ(answers.size(), 1U);
    ASSERT_FALSE(answers[0].ok());
    EXPECT_EQ(answers[0].error().code(), code);
  }
}

}  // namespace
}  // namespace cmcp::managers
