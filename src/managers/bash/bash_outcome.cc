#include "managers/bash/bash_outcome.h"

#include <fmt/format.h>

#include <utility>

namespace cmcp::managers {
namespace {

using End = sandbox::RunOutcome::End;
using sandbox::LimitKind;

// What the caller or the operator can change about a limit; "" when it is fixed.
std::string_view remedy(LimitKind limit) {
  switch (limit) {
    case LimitKind::kTime:
      return "Give a longer timeout (BASH_TIMEOUT_MAX is the most), or split the work.";
    case LimitKind::kCpu:
      return "The setting SANDBOX_CPU_SECONDS changes it.";
    case LimitKind::kMemory:
      return "The setting BASH_MEMORY_LIMIT changes it.";
    case LimitKind::kProcesses:
      return "The setting SANDBOX_MAX_PROCESSES changes it.";
    case LimitKind::kDisk:
      return "The setting SANDBOX_TMP_MB changes it for /tmp, WORKSPACE_QUOTA_MB for the "
             "workspace.";
    case LimitKind::kFileSize:
    case LimitKind::kNone:
      return "";
  }
  return "";
}

std::string limit_note(const RunReport& report, const RunLimits& limits) {
  std::string note = end_note(report, limits);
  if (report.limit == LimitKind::kTime) {
    note = fmt::format("Command execution timed out after {:g} seconds.",
                       static_cast<double>(limits.timeout.count()) / 1000);
  }
  const std::string_view change = remedy(report.limit);
  if (!note.empty() && !change.empty()) note.append(" ").append(change);
  return note;
}

}  // namespace

Result<BashResult> bash_result(sandbox::RunOutcome outcome, const RunLimits& limits) {
  if (outcome.end == End::kCancelled)
    return Error(ErrorCode::kCancelled, "The command was cancelled.");
  if (outcome.end == End::kSandboxFailed) {
    return Error(outcome.failure_code, "The command has no result: " + outcome.failure);
  }
  BashResult result;
  result.report = report_of(outcome);
  result.success = outcome.end == End::kExited && outcome.exit_code == 0;
  result.out = std::move(outcome.out.text);
  result.err = std::move(outcome.err.text);
  if (outcome.end == End::kNotStarted) append_line(result.err, outcome.failure);
  append_line(result.err, limit_note(result.report, limits));
  return result;
}

}  // namespace cmcp::managers
