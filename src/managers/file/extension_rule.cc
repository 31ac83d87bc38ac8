#include "managers/file/extension_rule.h"

#include <algorithm>

#include "base/strings.h"
#include "managers/file/path_name.h"

namespace cmcp::file {
namespace {

constexpr std::string_view kNone = "none";
constexpr std::string_view kAll = "*";

bool holds(const std::vector<std::string>& tokens, std::string_view token) {
  return std::find(tokens.begin(), tokens.end(), token) != tokens.end();
}

std::vector<std::string> normalised(const std::vector<std::string>& tokens) {
  std::vector<std::string> out;
  for (const std::string& token : tokens) {
    std::string_view text = strip(token);
    if (text.starts_with('.')) text.remove_prefix(1);
    if (!text.empty()) out.push_back(to_lower(text));
  }
  return out;
}

}  // namespace

ExtensionRule::ExtensionRule(const std::vector<std::string>& allowed,
                             const std::vector<std::string>& read_only)
    : write_(normalised(allowed)), read_(normalised(read_only)) {}

std::optional<std::string> ExtensionRule::suffix(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return std::nullopt;
  return to_lower(name.substr(dot + 1));
}

Status ExtensionRule::check(std::string_view name, Access access, std::string_view path) const {
  const std::optional<std::string> found = suffix(name);
  const std::string token = found.value_or(std::string(kNone));
  const auto allows = [&](const std::vector<std::string>& tokens) {
    // "x.none" is no name without a suffix.
    if (holds(tokens, kAll)) return true;
    return holds(tokens, token) && !(found.has_value() && token == kNone);
  };
  if (allows(write_) || (access == Access::kRead && allows(read_))) return {};
  std::string what = token;
  if (!found) what = "none (the name has no extension)";
  if (found && found->empty()) what = "the name ends in a dot";
  std::string where = shown(path);
  if (!path.ends_with(name)) where += " leads to " + shown(name);
  return Error(ErrorCode::kPermissionDenied,
               "File extension not allowed: " + shown(what) + " (" + where + "). Allowed: " +
                   allowed(access) + ". The setting FILE_ALLOWED_EXTENSIONS changes it.");
}

std::string ExtensionRule::allowed(Access access) const {
  std::vector<std::string> words;
  const auto add = [&](const std::vector<std::string>& tokens) {
    for (const std::string& token : tokens) {
      words.push_back(token == kNone ? "none (names without an extension)" : token);
    }
  };
  add(write_);
  if (access == Access::kRead) add(read_);
  if (words.empty()) return "nothing (FILE_ALLOWED_EXTENSIONS is empty)";
  return join(words, ", ");
}

}  // namespace cmcp::file
