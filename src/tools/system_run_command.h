// system_run_command: a bash command in a sandbox (contract section 2), bound to a BashManager.
#pragma once

#include <functional>

#include "json/json.h"
#include "managers/bash/bash_manager.h"
#include "mcp/tool.h"

namespace cmcp::tools {

// The declaration and its binding. `manager` outlives every call. `run_meta` gives the `_meta` of a
// result (level and layers of the sandbox); it may be empty.
mcp::Tool system_run_command(managers::BashManager& manager,
                             std::function<json::Object()> run_meta = {});

}  // namespace cmcp::tools
