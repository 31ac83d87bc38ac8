// The rules that all tools that run something share: the timeout and the working directory.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"

namespace cmcp::managers {

struct TimeoutRule {
  std::chrono::seconds default_value{30};
  std::chrono::seconds maximum{120};
};

// The timeout of a call: the default when none is given. kInvalidArgument when it is not above 0 or
// above the maximum.
Result<std::chrono::milliseconds> resolve_timeout(std::optional<double> seconds,
                                                  const TimeoutRule& rule);

// Finds a directory (relative to the workspace, "" = the workspace) inside the workspace and gives
// its path back without links and "..", so that what runs starts in the directory that was checked;
// the error's message is a sentence for the client. Wired in app to the path core. May be empty:
// then only the text of the path is checked.
using WorkingDirCheck = std::function<Result<std::string>(const std::string& relative)>;

// `working_dir` as RunRequest wants it: "/workspace/x", "/x" and "x" are "x". An error means that
// nothing may run (exit code 126): its message names the directory as given.
Result<std::string> resolve_working_dir(const std::string& working_dir,
                                        const WorkingDirCheck& check);

}  // namespace cmcp::managers
