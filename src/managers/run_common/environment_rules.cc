#include "managers/run_common/environment_rules.h"

#include <algorithm>

#include "base/strings.h"

namespace cmcp::managers {
namespace {

constexpr std::size_t kMaxEntries = 128;
constexpr std::size_t kMaxBytes = std::size_t{128} << 10U;

// The dynamic loader, libc, and whatever an interpreter reads before the code it was given.
constexpr std::string_view kHookPrefixes[] = {"LD_", "PYTHON", "BASH_FUNC_", "DYLD_"};
constexpr std::string_view kHooks[] = {"BASH_ENV",          "ENV",
                                       "SHELLOPTS",         "BASHOPTS",
                                       "PROMPT_COMMAND",    "PS4",
                                       "GCONV_PATH",        "LOCPATH",
                                       "NLSPATH",           "GETCONF_DIR",
                                       "GLIBC_TUNABLES",    "MALLOC_TRACE",
                                       "PERL5OPT",          "PERL5LIB",
                                       "PERL5DB",           "PERLLIB",
                                       "RUBYOPT",           "RUBYLIB",
                                       "NODE_OPTIONS",      "NODE_PATH",
                                       "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS",
                                       "JDK_JAVA_OPTIONS",  "LUA_INIT",
                                       "OPENSSL_CONF",      "OPENSSL_ENGINES"};

bool is_name(std::string_view name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && letter(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

Error refused(std::string_view name, std::string_view why) {
  return {ErrorCode::kInvalidArgument, "env: \"" + printable(name, 80) + "\" " + std::string(why)};
}

}  // namespace

bool is_startup_hook(std::string_view name) {
  return std::any_of(std::begin(kHookPrefixes), std::end(kHookPrefixes),
                     [&](std::string_view prefix) { return name.starts_with(prefix); }) ||
         std::find(std::begin(kHooks), std::end(kHooks), name) != std::end(kHooks);
}

Result<std::vector<std::string>> environment_entries(const Environment& environment) {
  if (environment.size() > kMaxEntries) {
    return Error(ErrorCode::kInvalidArgument, "env: " + std::to_string(environment.size()) +
                                                  " variables were given; at most " +
                                                  std::to_string(kMaxEntries) + " are allowed.");
  }
  std::vector<std::string> entries;
  std::size_t bytes = 0;
  for (const auto& [name, value] : environment) {
    if (!is_name(name)) {
      return refused(
          name, "is not a variable name; letters, digits and _ are allowed, and no digit first.");
    }
    if (is_startup_hook(name)) {
      return refused(name,
                     "is refused: it changes what the loader or the interpreter runs at its start. "
                     "Set it inside the code if a child process needs it.");
    }
    if (value.find('\0') != std::string::npos)
      return refused(name, "has a value with a NUL character.");
    entries.push_back(name + "=" + value);
    bytes += entries.back().size() + 1;
  }
  if (bytes > kMaxBytes) {
    return Error(ErrorCode::kInvalidArgument, "env: the variables take " + std::to_string(bytes) +
                                                  " bytes; at most " + std::to_string(kMaxBytes) +
                                                  " are allowed. Pass large data by stdin "
                                                  "or a file of the workspace.");
  }
  return entries;
}

}  // namespace cmcp::managers
