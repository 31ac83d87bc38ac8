// container-mcp: the one program that people start. It reads its command line and environment and
// goes to the command.
#include <csignal>
#include <iostream>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/fail_start.h"
#include "config/env.h"

namespace {

int run(const std::vector<std::string>& arguments) {
  using namespace cmcp;  // NOLINT: main belongs to no namespace
  const auto line = app::parse_command_line(arguments);
  if (!line.ok()) return app::fail_start(line.error());
  const config::Environment environment = config::Environment::of_process();
  switch (line->command) {
    case app::Command::kServe:
      return app::serve_http(*line, environment);
    case app::Command::kStdio:
      return app::serve_stdio(*line, environment);
    case app::Command::kDoctor:
      return app::doctor(*line, environment);
    case app::Command::kCall:
      return app::call_tool(*line, environment);
    case app::Command::kConfig:
      return app::show_config(*line, environment);
    case app::Command::kVersion:
      std::cout << "container-mcp " << CMCP_VERSION << '\n';
      return 0;
    case app::Command::kHelp:
      std::cout << app::usage();
      return 0;
  }
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  // A client that went away shows as EPIPE where it is written to.
  std::signal(SIGPIPE, SIG_IGN);
  return run({argv + 1, argv + argc});
}
