// Running a program of the host for what it prints.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"

namespace cmcp::os {

// Standard output of `path` with `arguments`, an empty environment and nothing to read. kNotFound
// when there is no such program, kUnavailable when it ends with anything but 0, kTimeout after
// `patience` (it is killed), kLimitExceeded above 64 KiB. Only for a process with one thread.
Result<std::string> output_of(const std::string& path, const std::vector<std::string>& arguments,
                              std::chrono::milliseconds patience = std::chrono::seconds(10));

}  // namespace cmcp::os
