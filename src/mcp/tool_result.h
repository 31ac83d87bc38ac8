// The wire form of what a tool returned (contract section 1).
#pragma once

#include "json/json.h"
#include "mcp/revision.h"
#include "mcp/tool.h"

namespace cmcp::mcp {

// The `result` of tools/call: text block with the object as compact JSON; structuredContent with
// the same object where the revision has it and there are no images; image blocks; isError with the
// refusal's text; `_meta`.
json::Object tool_result_wire(ToolResult result, const Features& features);

}  // namespace cmcp::mcp
