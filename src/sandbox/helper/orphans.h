// Processes whose run's first process has ended before them: only with backends that put a process
// of their own between the launcher and the sandbox.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <vector>

#include "base/result.h"
#include "os/proc.h"

namespace cmcp::sandbox {

// Kills every child of the calling process for which `is_run` is false, waits for its end, and goes
// on with those who become children by that. To be called by a subreaper or process 1. The number
// of processes that were ended; an error when they do not end or /proc cannot be read.
Result<unsigned> end_orphans(int proc, const std::function<bool(pid_t)>& is_run);

// The first child of `parent` among the samples. Pure.
std::optional<pid_t> child_of(const std::vector<os::ProcessSample>& samples, pid_t parent);

}  // namespace cmcp::sandbox
