// The backend of the sandbox: what the settings ask for against what this machine has.
#pragma once

#include "app/test_switches.h"
#include "base/result.h"
#include "config/loader.h"
#include "os/confinement.h"
#include "sandbox/backend_choice.h"
#include "sandbox/helper/facts.h"

namespace cmcp::app {

// Before anything is started, and before a start by root gives up its rights. An error stops the
// start: it names the setting, the reason and what to do.
Result<sandbox::BackendChoice> choose_backend(const config::Settings& settings,
                                              const config::WorkspaceLayout& layout,
                                              const TestSwitches& switches);

// After the start of the launcher: what the other program has really done. An error stops the
// start. `before` is this process's own state from before it.
Status verify_backend(sandbox::BackendChoice& choice, const os::Confinement& before,
                      const sandbox::LauncherFacts& launcher);

}  // namespace cmcp::app
