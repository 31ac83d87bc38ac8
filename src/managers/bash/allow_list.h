// AllowList: which commands a bash text may name (COMMAND_RESTRICTED, BASH_ALLOWED_COMMANDS). It
// refuses early and clearly; the kernel enforces the same list whatever the text says.
//
//   const AllowList list({"echo", "ls"});
//   list.refused("ls; id");    // {"id"}
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cmcp::managers {

class AllowList {
 public:
  // `commands` as configured: names, or paths in a system directory, which count as their name.
  explicit AllowList(const std::vector<std::string>& commands);

  // The commands that `text` names and that may not run, each once, in the order of the text.
  // /usr/bin/id is named id. Commands known only at run time and text that is not understood are
  // not refused.
  std::vector<std::string> refused(std::string_view text) const;

  // Whether one command word may run (a builtin that always may, a listed name, or its path in a
  // system directory).
  bool allows(std::string_view word) const;

  bool empty() const { return names_.empty(); }
  // The names in the order of the configuration: "ls, cat, grep".
  const std::string& listed() const { return listed_; }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
  std::set<std::string, std::less<>> lookup_;
  std::string listed_;
};

// Builtins of bash that no list forbids: they start no program of their own. echo, printf, pwd and
// kill, which are also programs, are not among them.
bool is_pure_builtin(std::string_view name);

}  // namespace cmcp::managers
