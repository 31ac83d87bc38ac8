// The command line, as a value: a pure parser. What a setting may be is checked by the
// configuration loader.
//
//   CMCP_TRY(const app::CommandLine line, app::parse_command_line({argv + 1, argv + argc}));
//   switch (line.command) { case app::Command::kServe: …
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "config/loader.h"

namespace cmcp::app {

enum class Command { kServe, kStdio, kDoctor, kCall, kConfig, kVersion, kHelp };

struct CommandLine {
  Command command = Command::kServe;
  config::CommandLineSettings settings;
  bool json = false;             // doctor --json
  bool seccomp = false;          // doctor --seccomp
  std::string tool;              // call TOOL
  std::string arguments = "{}";  // call TOOL [JSON], not parsed here
};

// `arguments` without the program's name. kInvalidArgument names what is wrong and the nearest that
// exists; kUnsupported "not built yet: …".
Result<CommandLine> parse_command_line(const std::vector<std::string>& arguments);

// The text of --help.
std::string usage();

}  // namespace cmcp::app
