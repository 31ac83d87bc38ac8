// How an error of a manager becomes a refusal of the protocol: the managers know nothing of MCP.
#pragma once

#include "base/result.h"
#include "mcp/tool.h"

namespace cmcp::tools {

// kInvalidArgument -> invalid_argument, kPermissionDenied -> unauthorized, kBusy and kLimitExceeded
// -> busy, kCancelled -> cancelled, everything else -> sandbox_unavailable. The message stays.
mcp::ToolResult refused(const Error& error);

}  // namespace cmcp::tools
