#include "sandbox/level_gate.h"

#include <gtest/gtest.h>

#include <vector>

namespace cmcp::sandbox {
namespace {

class FakeRunner final : public Runner {
 public:
  class Handle final : public RunHandle {
   public:
    void cancel() override { cancelled = true; }
    bool cancelled = false;
  };
  Result<std::shared_ptr<RunHandle>> start(RunRequest request, RunEvents) override {
    if (busy) return Error(ErrorCode::kBusy, "busy");
    started.push_back(request.profile);
    handle = std::make_shared<Handle>();
    return std::shared_ptr<RunHandle>(handle);
  }
  bool busy = false;
  std::vector<std::string> started;
  std::shared_ptr<Handle> handle;
};

RunRequest request(const std::string& profile) {
  RunRequest out;
  out.profile = profile;
  return out;
}

TEST(LevelGate, RunsWaitForTheVerdictAndThenStartInOrder) {
  FakeRunner inner;
  LevelGate gate(inner);
  RunEvents events;
  events.done = [](const RunOutcome&) { FAIL(); };
  auto first = gate.start(request("a"), events);
  ASSERT_TRUE(first.ok());
  ASSERT_TRUE(gate.start(request("b"), events).ok());
  EXPECT_TRUE(inner.started.empty());
  gate.decide({});
  EXPECT_EQ(inner.started, (std::vector<std::string>{"a", "b"}));
  ASSERT_TRUE(gate.start(request("c"), events).ok());
  EXPECT_EQ(inner.started.size(), 3U);
  first.value()->cancel();
}

TEST(LevelGate, AWaitingRunThatFindsNoPlaceEndsAsBusy) {
  FakeRunner inner;
  LevelGate gate(inner);
  std::vector<RunOutcome> outcomes;
  RunEvents events;
  events.done = [&](const RunOutcome& outcome) { outcomes.push_back(outcome); };
  ASSERT_TRUE(gate.start(request("a"), events).ok());
  inner.busy = true;
  gate.decide({});
  ASSERT_EQ(outcomes.size(), 1U);
  EXPECT_EQ(outcomes[0].end, RunOutcome::End::kSandboxFailed);
  EXPECT_EQ(outcomes[0].failure_code, ErrorCode::kBusy);
  EXPECT_EQ(outcomes[0].failure, "busy");
}

TEST(LevelGate, ARefusalReachesWaitingAndLaterRuns) {
  FakeRunner inner;
  LevelGate gate(inner);
  std::vector<RunOutcome> outcomes;
  RunEvents events;
  events.done = [&](const RunOutcome& outcome) { outcomes.push_back(outcome); };
  ASSERT_TRUE(gate.start(request("a"), events).ok());
  gate.decide(Error(ErrorCode::kUnavailable, "no user namespaces: set x"));
  ASSERT_EQ(outcomes.size(), 1U);
  EXPECT_EQ(outcomes[0].end, RunOutcome::End::kSandboxFailed);
  EXPECT_EQ(outcomes[0].failure, "no user namespaces: set x");
  const auto later = gate.start(request("b"), events);
  ASSERT_FALSE(later.ok());
  EXPECT_EQ(later.error().code(), ErrorCode::kUnavailable);
  EXPECT_TRUE(inner.started.empty());
}

TEST(LevelGate, CancelWhileWaitingAndAfterwards) {
  FakeRunner inner;
  LevelGate gate(inner);
  std::vector<RunOutcome::End> ends;
  RunEvents events;
  events.done = [&](const RunOutcome& outcome) { ends.push_back(outcome.end); };
  auto early = gate.start(request("a"), events);
  auto late = gate.start(request("b"), events);
  early.value()->cancel();
  gate.decide({});
  EXPECT_EQ(ends, std::vector<RunOutcome::End>{RunOutcome::End::kCancelled});
  EXPECT_EQ(inner.started, std::vector<std::string>{"b"});
  late.value()->cancel();
  EXPECT_TRUE(inner.handle->cancelled);
}

TEST(LevelGate, AStartThatFailsAfterWaitingIsTold) {
  FakeRunner inner;
  inner.busy = true;
  LevelGate gate(inner);
  std::string failure;
  RunEvents events;
  events.done = [&](const RunOutcome& outcome) { failure = outcome.failure; };
  ASSERT_TRUE(gate.start(request("a"), events).ok());
  gate.decide({});
  EXPECT_EQ(failure, "busy");
}

}  // namespace
}  // namespace cmcp::sandbox
