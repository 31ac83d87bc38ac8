// The parser of command texts: it must end, stay within its bounds and be a function of its text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "managers/bash/allow_list.h"
#include "managers/bash/command_parser.h"

using cmcp::managers::AllowList;
using cmcp::managers::parse_commands;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const AllowList list({"echo", "ls"});
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = parse_commands(text);
  require(parsed.commands == parse_commands(text).commands);
  for (const auto& command : parsed.commands) require(!command.name.empty());
  for (const auto& name : list.refused(text)) require(!list.allows(name));
  // What is quoted as a whole names no command of its own.
  if (text.find('\'') == std::string_view::npos) {
    const auto quoted = parse_commands("echo '" + std::string(text) + "'");
    if (size < cmcp::managers::kMaxCommandText - 16)
      require(quoted.understood && quoted.commands.size() == 1);
  }
  return 0;
}
