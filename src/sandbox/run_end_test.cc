#include "sandbox/run_end.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>

namespace cmcp::sandbox {
namespace {

using End = RunOutcome::End;
using wire::Ended;
using wire::KillReason;

RunRequest request() {
  RunRequest request;
  request.argv = {"/usr/bin/x"};
  request.working_dir = "sub";
  return request;
}

int exited(int code) {
  return code << 8;
}

TEST(RunEnd, AnEndWithoutAWordIsNeverTheProgramsEnd) {
  Ended ended;
  ended.kind = Ended::Kind::kKilled;
  ended.wait_status = exited(125);
  const auto outcome = outcome_of(ended, request());
  EXPECT_EQ(outcome.end, End::kSandboxFailed);
  EXPECT_NE(outcome.failure.find("125"), std::string::npos);
}

TEST(RunEnd, AnInitThatSomebodyElseKilledIsNeverTheProgramsEnd) {
  Ended ended;
  ended.kind = Ended::Kind::kKilled;
  ended.wait_status = SIGKILL;
  const auto outcome = outcome_of(ended, request());
  EXPECT_EQ(outcome.end, End::kSandboxFailed);
  EXPECT_NE(outcome.failure.find("killed by signal 9 from outside"), std::string::npos);
}

TEST(RunEnd, ExitCodesAndSignalsAreTheProgramsOwn) {
  Ended ended;
  ended.kind = Ended::Kind::kEnded;
  ended.wait_status = exited(3);
  ended.cpu_us = 12000;
  auto outcome = outcome_of(ended, request());
  EXPECT_EQ(outcome.end, End::kExited);
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.limit, LimitKind::kNone);
  EXPECT_EQ(outcome.usage.cpu_ms, 12u);

  ended.wait_status = SIGTERM;
  outcome = outcome_of(ended, request());
  EXPECT_EQ(outcome.end, End::kSignaled);
  EXPECT_EQ(outcome.signal, SIGTERM);
  EXPECT_EQ(outcome.exit_code, 143);
}

TEST(RunEnd, NamesTheLimitThatEndedTheRun) {
  Ended ended;
  ended.kind = Ended::Kind::kEnded;
  ended.wait_status = SIGXCPU;
  EXPECT_EQ(outcome_of(ended, request()).limit, LimitKind::kCpu);
  ended.wait_status = exited(128 + SIGXFSZ);
  EXPECT_EQ(outcome_of(ended, request()).limit, LimitKind::kFileSize);
  ended.wait_status = SIGKILL;
  ended.oom_kills = 1;
  EXPECT_EQ(outcome_of(ended, request()).limit, LimitKind::kMemory);
  ended.oom_kills = 0;
  ended.refused_forks = 4;
  ended.wait_status = exited(254);
  EXPECT_EQ(outcome_of(ended, request()).limit, LimitKind::kProcesses);
  ended.wait_status = exited(0);
  EXPECT_EQ(outcome_of(ended, request()).limit, LimitKind::kNone)
      << "a program that coped was not ended by a limit";
}

TEST(RunEnd, KillsSayWhy) {
  Ended ended;
  ended.kind = Ended::Kind::kKilled;
  ended.reason = KillReason::kTime;
  auto outcome = outcome_of(ended, request());
  EXPECT_EQ(outcome.end, End::kTimedOut);
  EXPECT_EQ(outcome.exit_code, 124);
  EXPECT_EQ(outcome.limit, LimitKind::kTime);
  ended.reason = KillReason::kCancel;
  EXPECT_EQ(outcome_of(ended, request()).end, End::kCancelled);
  ended.reason = KillReason::kMemory;
  outcome = outcome_of(ended, request());
  EXPECT_EQ(outcome.end, End::kSignaled);
  EXPECT_EQ(outcome.exit_code, 137);
  EXPECT_EQ(outcome.limit, LimitKind::kMemory);
  ended.reason = KillReason::kNone;
  ended.wait_status = SIGKILL;
  ended.oom_kills = 1;
  EXPECT_EQ(outcome_of(ended, request()).limit, LimitKind::kMemory);
}

TEST(RunEnd, WhatDidNotStartSaysWhat) {
  Ended ended;
  ended.kind = Ended::Kind::kNoExec;
  ended.error = ENOENT;
  auto outcome = outcome_of(ended, request());
  EXPECT_EQ(outcome.end, End::kNotStarted);
  EXPECT_EQ(outcome.exit_code, 127);
  EXPECT_NE(outcome.failure.find("/usr/bin/x"), std::string::npos);
  ended.error = EACCES;
  EXPECT_EQ(outcome_of(ended, request()).exit_code, 126);
  ended.kind = Ended::Kind::kNoDirectory;
  outcome = outcome_of(ended, request());
  EXPECT_EQ(outcome.exit_code, 126);
  EXPECT_NE(outcome.failure.find("/workspace/sub"), std::string::npos);
  ended.kind = Ended::Kind::kFailed;
  ended.failure = "because";
  outcome = outcome_of(ended, request());
  EXPECT_EQ(outcome.end, End::kSandboxFailed);
  EXPECT_EQ(outcome.failure, "because");
}

TEST(RunEnd, NamesTheDisk) {
  Ended ended;
  ended.kind = Ended::Kind::kKilled;
  ended.reason = KillReason::kDisk;
  ended.wait_status = SIGKILL;
  EXPECT_EQ(outcome_of(ended, request()).limit, LimitKind::kDisk);
  ended.kind = Ended::Kind::kEnded;
  ended.reason = KillReason::kNone;
  ended.wait_status = SIGXFSZ;
  EXPECT_EQ(outcome_of(ended, request()).limit, LimitKind::kFileSize);
  ended.quota_caps_files = true;
  EXPECT_EQ(outcome_of(ended, request()).limit, LimitKind::kDisk);
  ended.quota_caps_files = false;
  ended.tmp_full = true;
  ended.wait_status = exited(1);
  EXPECT_EQ(outcome_of(ended, request()).limit, LimitKind::kDisk);
  ended.wait_status = exited(0);  // it coped
  EXPECT_EQ(outcome_of(ended, request()).limit, LimitKind::kNone);
}

}  // namespace
}  // namespace cmcp::sandbox
