#include "managers/bash/allow_list.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "managers/bash/command_parser.h"

namespace cmcp::managers {
namespace {

// The name of a program that `path` names in a system directory; "" for any other path.
std::string_view system_name(std::string_view path) {
  static constexpr std::array<std::string_view, 5> kDirectories = {
      "/usr/bin/", "/bin/", "/usr/sbin/", "/sbin/", "/usr/local/bin/"};
  for (const auto directory : kDirectories) {
    if (!path.starts_with(directory)) continue;
    const std::string_view name = path.substr(directory.size());
    return name.find('/') == std::string_view::npos ? name : std::string_view{};
  }
  return {};
}

// How a refusal names a command: /usr/bin/id is id, as it would be listed. A path elsewhere stays
// whole, for its last part may well be a listed name.
std::string shown_name(const std::string& word) {
  const std::string_view name = system_name(word);
  return name.empty() || is_pure_builtin(name) ? word : std::string(name);
}

}  // namespace

bool is_pure_builtin(std::string_view name) {
  static constexpr std::array<std::string_view, 57> kBuiltins = {
      ".",      ":",      "[",       "alias",   "bg",       "bind",    "break",     "builtin",
      "caller", "cd",     "command", "compgen", "complete", "compopt", "continue",  "declare",
      "dirs",   "disown", "enable",  "eval",    "exec",     "exit",    "export",    "false",
      "fc",     "fg",     "getopts", "hash",    "help",     "history", "jobs",      "let",
      "local",  "logout", "mapfile", "popd",    "pushd",    "read",    "readarray", "readonly",
      "return", "set",    "shift",   "shopt",   "source",   "suspend", "test",      "times",
      "trap",   "true",   "type",    "typeset", "ulimit",   "umask",   "unalias",   "unset",
      "wait"};
  return std::find(kBuiltins.begin(), kBuiltins.end(), name) != kBuiltins.end();
}

AllowList::AllowList(const std::vector<std::string>& commands) {
  for (const auto& command : commands) {
    const std::string_view stripped = strip(command);
    const std::string_view inside = system_name(stripped);
    std::string name(inside.empty() ? stripped : inside);
    if (!name.empty() && lookup_.insert(name).second) names_.push_back(std::move(name));
  }
  listed_ = join(names_, ", ");
}

bool AllowList::allows(std::string_view word) const {
  if (lookup_.contains(word)) return true;
  if (word.find('/') != std::string_view::npos) return lookup_.contains(system_name(word));
  return is_pure_builtin(word);
}

std::vector<std::string> AllowList::refused(std::string_view text) const {
  const ParsedText parsed = parse_commands(text);
  std::vector<std::string> refused;
  std::set<std::string, std::less<>> seen;
  for (const auto& command : parsed.commands) {
    const bool function =
        !command.skips_functions &&
        std::binary_search(parsed.functions.begin(), parsed.functions.end(), command.name);
    if (function || allows(command.name)) continue;
    std::string name = shown_name(command.name);
    if (seen.insert(name).second) refused.push_back(std::move(name));
  }
  return refused;
}

}  // namespace cmcp::managers
