#include "managers/system/secret_rule.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "base/strings.h"

namespace cmcp::managers {
namespace {

// Found anywhere in a name.
constexpr std::string_view kParts[] = {"secret", "password",   "passwd", "passphrase",
                                       "token",  "credential", "cookie"};
// A whole word between underscores: inside other words they mean nothing ("author",
// "unauthenticated", "compass").
constexpr std::string_view kWords[] = {"auth", "authorization", "pass", "pwd",    "pat",
                                       "cred", "creds",         "keys", "private"};
// The names in this setting's value are no secrets, whatever the last word of its own name says.
constexpr std::string_view kHarmless = "SANDBOX_ENV_PASS";

bool is_secret_word(std::string_view word) {
  return word.ends_with("key") ||
         std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

}  // namespace

bool is_secret_name(std::string_view name) {
  if (name == kHarmless) return false;
  const std::string lower = to_lower(name);
  const auto words = split(lower, '_');
  return std::any_of(
             std::begin(kParts), std::end(kParts),
             [&](std::string_view part) { return lower.find(part) != std::string::npos; }) ||
         std::any_of(words.begin(), words.end(), is_secret_word);
}

bool is_secret_value(std::string_view value) {
  for (std::size_t at = value.find("://"); at != std::string_view::npos;
       at = value.find("://", at + 3)) {
    const std::string_view authority =
        value.substr(at + 3, value.find_first_of("/?# \t\n\"'", at + 3) - (at + 3));
    if (authority.find('@') != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace cmcp::managers
