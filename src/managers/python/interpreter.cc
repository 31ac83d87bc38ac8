#include "managers/python/interpreter.h"

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <system_error>

#include "base/strings.h"
#include "managers/python/harness_text.h"

namespace cmcp::managers {
namespace {

constexpr std::int64_t kOldest = 11;
constexpr std::string_view kPrefix = "python3.";

}  // namespace

Result<std::string> find_python(const std::string& directory) {
  std::int64_t newest = 0;
  std::error_code failed;
  for (std::filesystem::directory_iterator entry(directory, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(kPrefix)) continue;
    const auto minor = parse_int(std::string_view(name).substr(kPrefix.size()));
    if (minor && *minor > newest && ::access(entry->path().c_str(), X_OK) == 0) newest = *minor;
  }
  if (newest < kOldest) {
    return Error(ErrorCode::kNotFound,
                 "No python3.N with N of 11 or more is in " + directory +
                     ". Install python3, or set PYTHON_PATH to an interpreter.");
  }
  return directory + "/" + std::string(kPrefix) + std::to_string(newest);
}

std::vector<std::string> python_arguments(const std::string& python) {
  static const std::string kText = harness_text();
  // -I: no variables, no user directory, no path of the script; -S: no site-packages; -B: no
  // __pycache__ in the workspace; -u: what is printed is written at once, so that no way to end
  // loses it.
  return {python, "-I", "-S", "-B", "-u", "-X", "utf8", "-c", kText};
}

}  // namespace cmcp::managers
