// system_env_var: which variables sandboxed code and this server have.
#pragma once

#include "managers/system/system_manager.h"
#include "mcp/tool.h"

namespace cmcp::tools {

// `system` must outlive the tool.
mcp::Tool system_env_var(const managers::SystemManager& system);

}  // namespace cmcp::tools
