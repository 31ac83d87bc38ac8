// The steps that all commands begin with: configuration, log, directories, launcher.
#pragma once

#include <memory>

#include "app/application.h"
#include "app/command_line.h"
#include "base/result.h"
#include "config/env.h"

namespace cmcp::app {

// Settings from command line, environment and files; errors as the loader words them.
Result<config::Loaded> load_configuration(const CommandLine& line,
                                          const config::Environment& environment);

enum class LogTarget { kConfigured, kQuiet };
// Everything up to a running application, root given up. kQuiet logs errors only (for commands that
// print for people).
Result<std::unique_ptr<Application>> begin(const CommandLine& line,
                                           const config::Environment& environment, LogTarget log);

}  // namespace cmcp::app
