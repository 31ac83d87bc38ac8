// What the file tools share: arguments out of the validated object, and how an error of the manager
// becomes an answer.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "managers/file/file_manager.h"
#include "mcp/tool.h"
#include "tools/run_arguments.h"  // text_argument

namespace cmcp::tools {

std::optional<std::string> optional_text_argument(const json::Object& arguments,
                                                  std::string_view name);
std::optional<std::int64_t> integer_argument(const json::Object& arguments, std::string_view name);
bool flag_argument(const json::Object& arguments, std::string_view name);

// The answer for `error`: a refusal where the tool did not get to run (busy, cancelled), else
// `object`, which has all documented fields, with success false and the error's text.
mcp::ToolResult failed_file_call(const Error& error, json::Object object);

// Cancels `call` when the client does.
void cancel_with(mcp::CallContext& context, const file::Call& call);

// {"type": "object", properties…, "required": all of them}. A property is (name, JSON type or list
// of types).
json::Object object_schema(
    std::initializer_list<std::pair<std::string_view, json::Value>> properties);
// ["T", "null"].
json::Value or_null(std::string_view type);

template <typename T>
json::Value value_or_null(const std::optional<T>& value) {
  return value ? json::Value(*value) : json::Value(nullptr);
}
inline json::Value text_or_null(const std::string& text) {
  return text.empty() ? json::Value(nullptr) : json::Value(text);
}

// "Paths: …": how the path argument of every file tool is spelled.
inline constexpr std::string_view kPathHelp =
    "Path in the workspace: notes/a.txt, /notes/a.txt and /workspace/notes/a.txt are the same "
    "file.";

}  // namespace cmcp::tools
