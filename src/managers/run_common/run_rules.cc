#include "managers/run_common/run_rules.h"

#include <fmt/format.h>

#include <cmath>

#include "base/strings.h"

namespace cmcp::managers {
namespace {

constexpr std::string_view kMount = "/workspace";

std::string_view below_workspace(std::string_view path) {
  if (path == kMount || (path.starts_with(kMount) && path[kMount.size()] == '/'))
    path.remove_prefix(kMount.size());
  while (path.starts_with('/')) path.remove_prefix(1);
  while (path.ends_with('/')) path.remove_suffix(1);
  return path;
}

// Whether the text alone leads above the workspace. Links are the path core's concern.
bool leads_out(std::string_view relative) {
  int depth = 0;
  for (const std::string& part : split(relative, '/')) {
    if (part.empty() || part == ".") continue;
    depth += part == ".." ? -1 : 1;
    if (depth < 0) return true;
  }
  return false;
}

}  // namespace

Result<std::chrono::milliseconds> resolve_timeout(std::optional<double> seconds,
                                                  const TimeoutRule& rule) {
  if (!seconds) return std::chrono::milliseconds(rule.default_value);
  if (!std::isfinite(*seconds) || *seconds <= 0 ||
      *seconds > static_cast<double>(rule.maximum.count())) {
    return Error(
        ErrorCode::kInvalidArgument,
        fmt::format("timeout: {} seconds were given; more than 0 and at most {} are allowed.",
                    *seconds, rule.maximum.count()));
  }
  return std::chrono::milliseconds(std::max<std::int64_t>(1, std::llround(*seconds * 1000)));
}

Result<std::string> resolve_working_dir(const std::string& working_dir,
                                        const WorkingDirCheck& check) {
  const std::string shown = printable(working_dir, 300);
  if (working_dir.find('\0') != std::string::npos) {
    return Error(ErrorCode::kInvalidArgument,
                 "working_dir \"" + shown + "\" holds a NUL character.");
  }
  std::string relative(below_workspace(working_dir));
  if (leads_out(relative)) {
    return Error(
        ErrorCode::kPermissionDenied,
        "working_dir \"" + shown + "\" is outside the workspace; give a directory inside it.");
  }
  if (!check) return relative;
  Result<std::string> found = check(relative);
  if (!found.ok()) return found.error().with_context("working_dir \"" + shown + "\"");
  return found;
}

}  // namespace cmcp::managers
