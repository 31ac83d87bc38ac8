#include "mcp/request_params.h"

#include "base/strings.h"

namespace cmcp::mcp {
namespace {

const json::Value* member(const json::Object* params, std::string_view name) {
  return params == nullptr ? nullptr : json::find(*params, name);
}

Error invalid(std::string message) {
  return {ErrorCode::kInvalidArgument, std::move(message)};
}

}  // namespace

Result<ToolCallParams> tool_call_params(const json::Object* params) {
  const json::Value* name = member(params, "name");
  if (name == nullptr || !name->is_string()) {
    return invalid("Invalid params: tools/call needs \"name\", a string.");
  }
  ToolCallParams call;
  call.name = std::string(json::view(name->get_string()));
  const json::Value* arguments = member(params, "arguments");
  if (arguments == nullptr || arguments->is_null()) {
    call.arguments = json::Object();
  } else if (arguments->is_object()) {
    call.arguments = *arguments;
  } else {
    return invalid("Invalid params: \"arguments\" of tools/call must be an object.");
  }
  return call;
}

Result<std::optional<json::Value>> progress_token(const json::Object* params) {
  const json::Value* meta = member(params, "_meta");
  if (meta == nullptr || meta->is_null()) return std::optional<json::Value>();
  if (!meta->is_object()) return invalid("Invalid params: \"_meta\" must be an object.");
  const json::Value* token = json::find(*meta, "progressToken");
  if (token == nullptr || token->is_null()) return std::optional<json::Value>();
  if (!token->is_string() && !token->is_int64() && !token->is_uint64()) {
    return invalid("Invalid params: \"progressToken\" must be a string or an integer.");
  }
  return std::optional<json::Value>(*token);
}

Status check_cursor(const json::Object* params) {
  const json::Value* cursor = member(params, "cursor");
  if (cursor == nullptr || cursor->is_null()) return {};
  if (!cursor->is_string()) return invalid("Invalid params: \"cursor\" must be a string.");
  if (cursor->get_string().empty()) return {};
  return invalid("Invalid params: unknown cursor \"" +
                 printable(json::view(cursor->get_string()), 60) +
                 "\"; the list has one page, ask for it without a cursor.");
}

Result<std::string> resource_uri(const json::Object* params) {
  const json::Value* uri = member(params, "uri");
  if (uri == nullptr || !uri->is_string()) {
    return invalid("Invalid params: resources/read needs \"uri\", a string.");
  }
  return std::string(json::view(uri->get_string()));
}

}  // namespace cmcp::mcp
