#include "tools/system_run_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cmcp::tools {
namespace {

using sandbox::RunOutcome;
using testing::HasSubstr;

class FakeHandle : public sandbox::RunHandle {
 public:
  explicit FakeHandle(int& cancels) : cancels_(cancels) {}
  void cancel() override { ++cancels_; }

 private:
  int& cancels_;
};

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

class FakeContext : public mcp::CallContext {
 public:
  const auth::Principal& principal() const override { return who; }
  void on_cancel(std::function<void()> task) override { cancel = std::move(task); }
  bool cancelled() const override { return false; }
  void progress(std::string_view text) override { seen += text; }

  auth::Principal who{"alice"};
  std::function<void()> cancel;
  std::string seen;
};

class SystemRunCommand : public testing::Test {
 protected:
  static managers::BashOptions options() {
    managers::BashOptions out;
    out.allowed_commands = {"echo", "ls"};
    return out;
  }
  void call(json::Object arguments) {
    answers.clear();
    const mcp::Tool tool =
        system_run_command(manager, [] { return json::Object{{"level", "L3"}}; });
    auto decoded = mcp::decode_arguments(tool, arguments);
    ASSERT_TRUE(decoded.ok()) << decoded.error().message();
    tool.binding(context, std::move(*decoded),
                 [this](mcp::ToolResult result) { answers.push_back(std::move(result)); });
  }

  FakeRunner runner;
  managers::BashManager manager{runner, options(), {}};
  std::shared_ptr<FakeContext> context = std::make_shared<FakeContext>();
  std::vector<mcp::ToolResult> answers;
};

TEST_F(SystemRunCommand, DeclaresWhatTheContractNames) {
  const mcp::Tool tool = system_run_command(manager);
  std::vector<std::string> names;
  for (const auto& param : tool.params) names.push_back(param.name);
  EXPECT_THAT(names, testing::ElementsAre("command", "working_dir", "timeout", "stdin", "env"));
  EXPECT_LT(tool.description.size(), 2000U);
  EXPECT_THAT(tool.description, testing::StartsWith("Runs a bash command"));
  EXPECT_THAT(tool.description, HasSubstr("echo, ls"));
  EXPECT_THAT(tool.description, HasSubstr("no network"));
  EXPECT_FALSE(tool.annotations.read_only);
  EXPECT_TRUE(tool.annotations.destructive);
  const json::Value* required = json::find(tool.output_schema, "required");
  ASSERT_NE(required, nullptr);
  EXPECT_EQ(required->as_array().size(), 14U);
}

TEST_F(SystemRunCommand, ALongListStillFitsTheDescription) {
  managers::BashOptions many = options();
  for (int i = 0; i < 1000; ++i) many.allowed_commands.push_back("command" + std::to_string(i));
  managers::BashManager large(runner, many, {});
  const std::string text = system_run_command(large).description;
  EXPECT_LT(text.size(), 2000U);
  EXPECT_THAT(text, HasSubstr("more. Any other"));
}

TEST_F(SystemRunCommand, RunsAndReturnsEveryField) {
  call({{"command", "ls"},
        {"working_dir", "sub"},
        {"timeout", 3},
        {"stdin", "in"},
        {"env", json::Object{{"A", "1"}}}});
  ASSERT_EQ(runner.requests.size(), 1U);
  EXPECT_EQ(runner.requests[0].principal, "alice");
  EXPECT_EQ(runner.requests[0].working_dir, "sub");
  EXPECT_EQ(runner.requests[0].timeout, std::chrono::seconds(3));
  EXPECT_EQ(runner.requests[0].stdin_data, "in");
  EXPECT_THAT(runner.requests[0].environment, testing::ElementsAre("A=1"));
  runner.last.output("live");
  EXPECT_EQ(context->seen, "live");
  RunOutcome outcome;
  outcome.end = RunOutcome::End::kExited;
  outcome.exit_code = 0;
  outcome.out.text = "a\n";
  runner.last.done(outcome);
  ASSERT_EQ(answers.size(), 1U);
  const auto& object = answers[0].object;
  const json::Object schema = system_run_command(manager).output_schema;
  for (const auto& property : schema.at("properties").as_object()) {
    EXPECT_NE(json::find(object, std::string_view(property.key())), nullptr) << property.key();
  }
  EXPECT_EQ(object.at("stdout"), "a\n");
  EXPECT_EQ(object.at("success"), true);
  EXPECT_EQ(object.at("exit_code"), 0);
  EXPECT_EQ(answers[0].meta.at("level"), "L3");
}

TEST_F(SystemRunCommand, ARefusedCommandIsAResult) {
  call({{"command", "id"}});
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_FALSE(answers[0].refusal.has_value());
  EXPECT_EQ(answers[0].object.at("exit_code"), 126);
  EXPECT_EQ(answers[0].object.at("success"), false);
  EXPECT_TRUE(runner.requests.empty());
}

TEST_F(SystemRunCommand, WhatDidNotGetToRunIsARefusal) {
  const auto code = [this](json::Object arguments) {
    call(std::move(arguments));
    EXPECT_TRUE(answers.size() == 1 && answers[0].refusal);
    return answers.size() == 1 && answers[0].refusal ? answers[0].refusal->code
                                                     : mcp::RefusalCode::kUnauthorized;
  };
  EXPECT_EQ(code({{"command", "ls"}, {"env", json::Object{{"LD_PRELOAD", "x"}}}}),
            mcp::RefusalCode::kInvalidArgument);
  EXPECT_EQ(code({{"command", "ls"}, {"timeout", 0}}), mcp::RefusalCode::kInvalidArgument);
  runner.refuse = Error(ErrorCode::kBusy, "busy");
  EXPECT_EQ(code({{"command", "ls"}}), mcp::RefusalCode::kBusy);
  runner.refuse = Error(ErrorCode::kUnavailable, "no sandbox");
  EXPECT_EQ(code({{"command", "ls"}}), mcp::RefusalCode::kSandboxUnavailable);
}

TEST_F(SystemRunCommand, CancellingTheCallCancelsTheRun) {
  call({{"command", "ls"}});
  ASSERT_TRUE(context->cancel);
  context->cancel();
  EXPECT_EQ(runner.cancels, 1);
  RunOutcome outcome;
  outcome.end = RunOutcome::End::kCancelled;
  runner.last.done(outcome);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].refusal->code, mcp::RefusalCode::kCancelled);
}

}  // namespace
}  // namespace cmcp::tools
