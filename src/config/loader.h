// The loader: command line over environment over files, into Settings and the workspace layout.
//
//   config::Environment environment = config::Environment::of_process();
//   CMCP_TRY(config::Loaded loaded, config::load(command_line.settings, environment,
//   config::host_facts(environment))); loaded.settings.integer("MCP_PORT");
//
// Files, the strongest first: --config FILE, $CMCP_CONFIG (paths separated by ':'),
// $XDG_CONFIG_HOME/container-mcp/*.env, /etc/container-mcp/*.env; within each of these the later
// file (by name in a directory) wins. Never the current directory.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "config/env.h"
#include "config/host_facts.h"
#include "config/settings.h"
#include "config/workspace_layout.h"

namespace cmcp::config {

struct CommandLineSettings {
  std::vector<std::pair<std::string, std::string>> values;  // {"MCP_PORT", "9000"}
  std::vector<std::string> config_files;                    // --config, repeatable
  std::vector<std::string> workspaces;                      // --workspace, repeatable
  bool strict = false;  // --strict-config: unknown names are errors
};

struct Loaded {
  Settings settings;
  WorkspaceLayout layout;
  std::vector<std::string>
      warnings;                    // to be logged at start: unknown names, files that were left out
  std::vector<std::string> files;  // that were read, the strongest first
};

// Reads files and nothing else: no directory is made. Errors are kInvalidArgument with name, value
// (never a secret's), what is allowed and where it came from; kUnsupported "not built yet: NAME";
// kPermissionDenied for a refused file.
Result<Loaded> load(const CommandLineSettings& command_line, const Environment& environment,
                    const HostFacts& host);

}  // namespace cmcp::config
