// The start: everything that happens before any thread exists and while a root start still is root.
// The order is the point: the launcher is started from a clean single thread, then root is given
// up, then the first byte of a client may be read.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/test_switches.h"
#include "base/result.h"
#include "config/env.h"
#include "config/loader.h"
#include "managers/file/workspace.h"
#include "sandbox/backend_choice.h"
#include "sandbox/launcher_client.h"
#include "sandbox/profiles.h"

namespace cmcp::app {

struct Prepared {
  config::Settings settings;
  config::WorkspaceLayout layout;
  TestSwitches switches;
  sandbox::BackendChoice backend;
  sandbox::Profiles profiles;
  sandbox::LauncherClient::SpawnOptions launcher_options;
  std::optional<sandbox::LauncherClient::Spawned>
      launcher;  // nothing: `launcher_failure` says why no sandbox can be had
  std::optional<Error> launcher_failure;
  std::vector<file::WorkspaceRoot> workspace_roots;  // what the file tools work on
  std::vector<std::string> warnings;
};

// Makes the directories, builds the profiles, starts the launcher, gives up root. An error stops
// the start; a sandbox that cannot be had does not (the file tools work without it).
Result<Prepared> prepare(config::Loaded loaded, const config::Environment& environment);

}  // namespace cmcp::app
