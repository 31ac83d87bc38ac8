// Reads bash text and lists the commands that it names, without running any of it. This is the
// early, clear half of the allow-list; the boundary is the kernel's view of the sandbox. What is
// not understood here is left to that boundary.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cmcp::managers {

// One simple command whose command word is known before the text runs.
struct FoundCommand {
  std::string name;              // after removal of quotes and backslashes; may hold a slash
  bool skips_functions = false;  // named as the argument of command, exec or builtin
  bool operator==(const FoundCommand&) const = default;
};

struct ParsedText {
  std::vector<FoundCommand> commands;  // in the order of the text
  std::vector<std::string> functions;  // names that the text defines, sorted
  bool understood =
      true;  // false: reading stopped somewhere; `commands` holds what was found before
};

// Largest text that is read; a longer one yields no command and `understood` false.
inline constexpr std::size_t kMaxCommandText = std::size_t{1} << 20U;
// Deepest nesting that is read, in steps of the grammar (a nested command takes two or three).
inline constexpr int kMaxCommandDepth = 200;

// Reads `text` as `bash -c` would (bash 5.2, aliases and extglob off). Work is linear in the size
// of the text.
ParsedText parse_commands(std::string_view text);

}  // namespace cmcp::managers
