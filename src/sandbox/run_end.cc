#include "sandbox/run_end.h"

#include <signal.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace cmcp::sandbox {
namespace {

using End = RunOutcome::End;
constexpr int kTimedOutCode = 124;
constexpr int kSignalBase = 128;

// A shell reports the signal of its child as 128 + number.
bool ended_by(const RunOutcome& outcome, int signal) {
  return outcome.signal == signal || outcome.exit_code == kSignalBase + signal;
}

LimitKind limit_of(const wire::Ended& ended, const RunOutcome& outcome) {
  if (ended.reason == wire::KillReason::kMemory) return LimitKind::kMemory;
  if (ended.reason == wire::KillReason::kCpu) return LimitKind::kCpu;
  if (ended.reason == wire::KillReason::kDisk) return LimitKind::kDisk;
  const bool failed = outcome.end == End::kSignaled || outcome.exit_code != 0;
  if (!failed) return LimitKind::kNone;
  if (ended.oom_kills > 0) return LimitKind::kMemory;
  if (ended_by(outcome, SIGXCPU)) return LimitKind::kCpu;
  if (ended_by(outcome, SIGXFSZ))
    return ended.quota_caps_files ? LimitKind::kDisk : LimitKind::kFileSize;
  if (ended.refused_forks > 0) return LimitKind::kProcesses;
  if (ended.tmp_full) return LimitKind::kDisk;
  return LimitKind::kNone;
}

void set_wait_status(RunOutcome& outcome, int status) {
  if (WIFSIGNALED(status)) {
    outcome.end = End::kSignaled;
    outcome.signal = WTERMSIG(status);
    outcome.exit_code = kSignalBase + outcome.signal;
  } else {
    outcome.end = End::kExited;
    outcome.exit_code = WEXITSTATUS(status);
  }
}

std::string unexplained_end(int status) {
  if (WIFEXITED(status)) {
    return "the sandbox ended with status " + std::to_string(WEXITSTATUS(status)) +
           " before the program did";
  }
  return "the sandbox was killed by signal " + std::to_string(WTERMSIG(status)) +
         " from outside, by this machine's memory killer or somebody with rights over it; how far "
         "the program came is not known";
}

// Killed from outside the sandbox: by the launcher, or (init being the victim) by the kernel for
// memory.
void set_killed(RunOutcome& outcome, const wire::Ended& ended) {
  switch (ended.reason) {
    case wire::KillReason::kTime:
      outcome.end = End::kTimedOut;
      outcome.exit_code = kTimedOutCode;
      outcome.limit = LimitKind::kTime;
      return;
    case wire::KillReason::kCancel:
      outcome.end = End::kCancelled;
      outcome.signal = SIGKILL;
      outcome.exit_code = kSignalBase + SIGKILL;
      return;
    case wire::KillReason::kNone:
      if (ended.oom_kills == 0) {
        // No limit and nobody of ours ended it, and init would have reported the program's end.
        outcome.end = End::kSandboxFailed;
        outcome.failure = unexplained_end(ended.wait_status);
        return;
      }
      [[fallthrough]];
    case wire::KillReason::kCpu:
    case wire::KillReason::kMemory:
    case wire::KillReason::kDisk:
      outcome.end = End::kSignaled;
      outcome.signal = SIGKILL;
      outcome.exit_code = kSignalBase + SIGKILL;
      outcome.limit = limit_of(ended, outcome);
      return;
  }
}

void set_not_started(RunOutcome& outcome, const wire::Ended& ended, const RunRequest& request) {
  outcome.end = End::kNotStarted;
  outcome.exit_code = 126;
  const std::string cause = std::strerror(ended.error);
  if (ended.kind == wire::Ended::Kind::kNoDirectory) {
    outcome.failure = "the working directory /workspace" +
                      (request.working_dir.empty() ? "" : "/" + request.working_dir) +
                      " cannot be entered: " + cause;
    return;
  }
  if (ended.error == ENOENT) outcome.exit_code = 127;
  outcome.failure = "the program " + request.argv[0] + " cannot be executed: " + cause;
}

}  // namespace

RunOutcome outcome_of(const wire::Ended& ended, const RunRequest& request) {
  RunOutcome outcome;
  outcome.usage = {ended.cpu_us / 1000, ended.peak_memory};
  outcome.killed_processes = ended.killed_processes;
  switch (ended.kind) {
    case wire::Ended::Kind::kEnded:
      set_wait_status(outcome, ended.wait_status);
      outcome.limit = limit_of(ended, outcome);
      break;
    case wire::Ended::Kind::kKilled:
      set_killed(outcome, ended);
      break;
    case wire::Ended::Kind::kNoDirectory:
    case wire::Ended::Kind::kNoExec:
      set_not_started(outcome, ended, request);
      break;
    case wire::Ended::Kind::kFailed:
      outcome.end = End::kSandboxFailed;
      outcome.failure = ended.failure;
      break;
  }
  return outcome;
}

}  // namespace cmcp::sandbox
