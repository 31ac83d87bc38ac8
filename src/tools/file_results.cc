#include "tools/file_results.h"

#include <limits>
#include <utility>

namespace cmcp::tools {

std::optional<std::string> optional_text_argument(const json::Object& arguments,
                                                  std::string_view name) {
  const json::Value* value = json::find(arguments, name);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return std::string(json::view(value->get_string()));
}

std::optional<std::int64_t> integer_argument(const json::Object& arguments, std::string_view name) {
  const json::Value* value = json::find(arguments, name);
  if (value == nullptr) return std::nullopt;
  if (value->is_int64()) return value->get_int64();
  // A whole number that came as 3.0, or above the signed range.
  if (value->is_uint64()) return std::numeric_limits<std::int64_t>::max();
  if (value->is_double() && value->get_double() < 9e15)
    return static_cast<std::int64_t>(value->get_double());
  return std::nullopt;
}

bool flag_argument(const json::Object& arguments, std::string_view name) {
  const json::Value* value = json::find(arguments, name);
  return value != nullptr && value->is_bool() && value->get_bool();
}

mcp::ToolResult failed_file_call(const Error& error, json::Object object) {
  if (error.code() == ErrorCode::kCancelled)
    return mcp::ToolResult::refused(mcp::RefusalCode::kCancelled, error.message());
  if (error.code() == ErrorCode::kUnavailable)
    return mcp::ToolResult::refused(mcp::RefusalCode::kBusy, error.message());
  object["success"] = false;
  object["error"] = error.message();
  return {std::move(object), {}, {}, {}};
}

void cancel_with(mcp::CallContext& context, const file::Call& call) {
  context.on_cancel([call] { call->set(); });
}

json::Object object_schema(
    std::initializer_list<std::pair<std::string_view, json::Value>> properties) {
  json::Object described;
  json::Array required;
  for (const auto& [name, type] : properties) {
    described[name] = type.is_object() ? type : json::Value(json::Object{{"type", type}});
    required.push_back(json::Value(name));
  }
  return {
      {"type", "object"}, {"properties", std::move(described)}, {"required", std::move(required)}};
}

json::Value or_null(std::string_view type) {
  return json::Array{json::Value(type), json::Value("null")};
}

}  // namespace cmcp::tools
