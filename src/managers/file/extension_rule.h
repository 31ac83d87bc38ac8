// ExtensionRule: which file names the tools may read and write (FILE_ALLOWED_EXTENSIONS,
// FILE_READ_EXTENSIONS).
//
// The rule looks at the last suffix of the name that a path resolves to, case-folded (ASCII):
// "A.TXT" is txt, "x.txt.exe" is exe. A name without a dot and a dotfile (".txt") have no suffix
// and need the token `none`; a name that ends in a dot has an empty suffix, which no token but `*`
// allows. White space counts: "x.txt " is not txt. Directories have no rule.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cmcp::file {

class ExtensionRule {
 public:
  enum class Access { kRead, kWrite };

  // Tokens with or without a leading dot, in any case; "none" and "*" as above. `read_only` may be
  // read besides.
  ExtensionRule(const std::vector<std::string>& allowed, const std::vector<std::string>& read_only);

  // kPermissionDenied "File extension not allowed: exe (P). Allowed: …"; `path` is the path as
  // given.
  Status check(std::string_view name, Access access, std::string_view path) const;
  // "txt, md, none (names without an extension)".
  std::string allowed(Access access) const;

  // The case-folded suffix of `name`; nothing for a name without one and a dotfile.
  static std::optional<std::string> suffix(std::string_view name);

 private:
  std::vector<std::string> write_;  // in the order of the configuration
  std::vector<std::string> read_;   // besides
};

}  // namespace cmcp::file
