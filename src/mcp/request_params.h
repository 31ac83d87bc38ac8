// The params of the requests that both eras have. Errors are sentences for the client (they go out
// as -32602).
#pragma once

#include <optional>
#include <string>

#include "json/json.h"

namespace cmcp::mcp {

struct ToolCallParams {
  std::string name;
  json::Value arguments;  // an object; {} when none came
};
Result<ToolCallParams> tool_call_params(const json::Object* params);

// params._meta.progressToken: a string or an integer; nothing when there is none.
Result<std::optional<json::Value>> progress_token(const json::Object* params);

// Lists have one page: the only cursor that is good is none (or the empty one).
Status check_cursor(const json::Object* params);

Result<std::string> resource_uri(const json::Object* params);

}  // namespace cmcp::mcp
