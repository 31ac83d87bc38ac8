// How the end of a sandboxed run is told as the result of a command.
#pragma once

#include "base/result.h"
#include "managers/bash/bash_manager.h"
#include "sandbox/runner.h"

namespace cmcp::managers {

// What a shell gives for a command that may not be run.
inline constexpr int kNotAllowedExitCode = 126;

// The result, with a line in `err` when a limit ended the run: which one, and what changes it.
// kCancelled and kUnavailable for a run that was cancelled or whose sandbox failed.
Result<BashResult> bash_result(sandbox::RunOutcome outcome, const RunLimits& limits);

}  // namespace cmcp::managers
