#include "managers/bash/command_parser.h"

#include "managers/bash/shell_parser.h"

namespace cmcp::managers {
namespace {

// Each byte may be looked at this many times more by look-ahead and by inner texts, all together.
constexpr std::size_t kWorkPerByte = 16;
// What even a short text may use, so that ordinary nesting never runs out.
constexpr std::size_t kLeastWork = std::size_t{64} << 10U;

}  // namespace

ParsedText parse_commands(std::string_view text) {
  if (text.size() > kMaxCommandText) return {{}, {}, false};
  ParseState state;
  state.work_left = kLeastWork + text.size() * kWorkPerByte;
  const bool understood = ShellParser(text, state).parse_text();
  return {std::move(state.commands),
          {state.functions.begin(), state.functions.end()},
          understood && state.understood};
}

}  // namespace cmcp::managers
