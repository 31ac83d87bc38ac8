#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/system_env_var.h"
#include "tools/system_run_python.h"

namespace cmcp::tools {
namespace {

using sandbox::RunOutcome;
using ::testing::HasSubstr;

class PythonHandle : public sandbox::RunHandle {
 public:
  explicit PythonHandle(int& cancels) : cancels_(cancels) {}
  void cancel() override { ++cancels_; }

 private:
  int& cancels_;
};

class PythonRunner : public sandbox::Runner {
 public:
  Result<std::shared_ptr<sandbox::RunHandle>> start(sandbox::RunRequest run,
                                                    sandbox::RunEvents run_events) override {
    if (refusal) return *refusal;
    request = std::move(run);
    events = std::move(run_events);
    return std::shared_ptr<sandbox::RunHandle>(std::make_shared<PythonHandle>(cancels));
  }

  std::optional<Error> refusal;
  std::optional<sandbox::RunRequest> request;
  sandbox::RunEvents events;
  int cancels = 0;
};

class PythonContext : public mcp::CallContext {
 public:
  const auth::Principal& principal() const override { return who; }
  void on_cancel(std::function<void()> task) override { cancel = std::move(task); }
  bool cancelled() const override { return false; }
  void progress(std::string_view text) override { seen += text; }

  auth::Principal who{"ada"};
  std::function<void()> cancel;
  std::string seen;
};

class SystemRunPython : public ::testing::Test {
 protected:
  void call(json::Object arguments) {
    const auto decoded = mcp::decode_arguments(tool, arguments);
    ASSERT_TRUE(decoded.ok()) << decoded.error().message();
    tool.binding(context, *decoded,
                 [this](mcp::ToolResult result) { answers.push_back(std::move(result)); });
  }
  static RunOutcome exited(int code) {
    RunOutcome outcome;
    outcome.end = RunOutcome::End::kExited;
    outcome.exit_code = code;
    return outcome;
  }

  PythonRunner runner;
  managers::PythonManager python{
      {.python_path = "/usr/bin/python3.11", .timeout = {}, .budget = {}, .check_working_dir = {}},
      runner};
  mcp::Tool tool = system_run_python(python, [] { return json::Object{{"level", "L3"}}; });
  std::shared_ptr<PythonContext> context = std::make_shared<PythonContext>();
  std::vector<mcp::ToolResult> answers;
};

TEST_F(SystemRunPython, DeclaresWhatTheContractNames) {
  std::vector<std::string> names;
  for (const mcp::Param& param : tool.params) names.push_back(param.name);
  EXPECT_THAT(names, ::testing::ElementsAre("code", "working_dir", "timeout", "stdin", "env"));
  EXPECT_TRUE(tool.output_schema.empty());
  EXPECT_LT(tool.description.size(), 2000U);
  EXPECT_THAT(tool.description, ::testing::StartsWith("Runs Python code"));
  EXPECT_FALSE(mcp::decode_arguments(tool, json::Object{}).ok());
  EXPECT_FALSE(mcp::decode_arguments(tool, json::Object{{"code", "1"}, {"timeout", 1000}}).ok());
}

TEST_F(SystemRunPython, ArgumentsReachTheSandbox) {
  call({{"code", "print(1)"},
        {"working_dir", "/workspace/a"},
        {"timeout", 2},
        {"stdin", ""},
        {"env", {{"A", "b"}}}});
  ASSERT_TRUE(runner.request);
  EXPECT_EQ(runner.request->principal, "ada");
  EXPECT_EQ(runner.request->inputs, std::vector<std::string>{"print(1)"});
  EXPECT_EQ(runner.request->working_dir, "a");
  EXPECT_EQ(runner.request->timeout, std::chrono::seconds(2));
  EXPECT_EQ(runner.request->stdin_data, "");
  EXPECT_EQ(runner.request->environment, std::vector<std::string>{"A=b"});
  EXPECT_EQ(runner.request->argv.front(), "/usr/bin/python3.11");
  runner.events.output("so far");
  EXPECT_EQ(context->seen, "so far");
  EXPECT_TRUE(answers.empty());
}

TEST_F(SystemRunPython, ResultHasEveryFieldInSuccessAndFailure) {
  call({{"code", "x"}});
  RunOutcome done = exited(0);
  done.out.text = "printed\n";
  done.result = R"({"result":{"n":42},"memory_error":false,"truncated":false})";
  runner.events.done(done);
  call({{"code", "x"}, {"working_dir", "../out"}});
  ASSERT_EQ(answers.size(), 2U);
  const json::Object& good = answers[0].object;
  EXPECT_EQ(good.at("output"), "printed\n");
  EXPECT_EQ(json::write(good.at("result")), R"({"n":42})");
  EXPECT_EQ(good.at("success"), true);
  EXPECT_EQ(json::write(answers[0].meta), R"({"level":"L3"})");
  const json::Object& bad = answers[1].object;
  EXPECT_EQ(bad.at("success"), false);
  EXPECT_EQ(bad.at("exit_code"), 126);
  EXPECT_THAT(std::string(json::view(bad.at("error").as_string())), HasSubstr("../out"));
  for (const char* name : {"output", "error", "result", "success", "exit_code", "signal",
                           "timed_out", "limit", "truncated", "omitted_bytes", "invalid_bytes",
                           "kept", "killed_processes", "duration_ms", "usage", "images"}) {
    EXPECT_TRUE(good.contains(name)) << name;
    EXPECT_TRUE(bad.contains(name)) << name;
  }
}

TEST_F(SystemRunPython, WhatDidNotGetToRunIsARefusal) {
  call({{"code", "x"}, {"env", {{"LD_PRELOAD", "x"}}}});
  EXPECT_EQ(answers.back().refusal.value().code, mcp::RefusalCode::kInvalidArgument);
  runner.refusal = Error(ErrorCode::kBusy, "16 runs are in progress.");
  call({{"code", "x"}});
  EXPECT_EQ(answers.back().refusal.value().code, mcp::RefusalCode::kBusy);
  runner.refusal.reset();
  call({{"code", "x"}});
  RunOutcome failed;
  failed.failure = "The mount namespace could not be made.";
  runner.events.done(failed);
  EXPECT_EQ(answers.back().refusal.value().code, mcp::RefusalCode::kSandboxUnavailable);
  EXPECT_EQ(answers.back().refusal.value().message, failed.failure);
}

TEST_F(SystemRunPython, CancellingTheCallCancelsTheRun) {
  call({{"code", "x"}});
  ASSERT_TRUE(context->cancel);
  context->cancel();
  EXPECT_EQ(runner.cancels, 1);
  RunOutcome cancelled;
  cancelled.end = RunOutcome::End::kCancelled;
  runner.events.done(cancelled);
  EXPECT_EQ(answers.back().refusal.value().code, mcp::RefusalCode::kCancelled);
}

TEST(SystemEnvVar, ListAlwaysAndOneByName) {
  const managers::SystemManager system({"PATH=/usr/bin", "API_KEY=k"}, {{"MCP_PORT", "8000"}}, {});
  const mcp::Tool tool = system_env_var(system);
  const auto ask = [&](json::Object arguments) {
    std::string text;
    tool.binding(std::make_shared<PythonContext>(), mcp::decode_arguments(tool, arguments).value(),
                 [&](mcp::ToolResult result) { text = json::write(result.object); });
    return text;
  };
  const std::string variables =
      R"({"variables":{"MCP_PORT":"8000","PATH":"/usr/bin"},"requested_var":)";
  EXPECT_EQ(ask({}), variables + R"(null,"message":null})");
  EXPECT_EQ(ask({{"var_name", "PATH"}}), variables + R"("/usr/bin","message":null})");
  EXPECT_THAT(ask({{"var_name", "API_KEY"}}), HasSubstr("is a secret"));
  EXPECT_THAT(ask({{"var_name", "API_KEY"}}), ::testing::Not(HasSubstr("\"k\"")));
  EXPECT_THAT(ask({{"var_name", "NOT_SET"}}), HasSubstr("neither set"));
  EXPECT_TRUE(tool.annotations.read_only);
  EXPECT_FALSE(tool.output_schema.empty());
}

}  // namespace
}  // namespace cmcp::tools
