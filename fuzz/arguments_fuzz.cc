// Arguments of a call as any JSON: they fit the declaration of a tool or are refused with a
// sentence, and what was accepted is accepted again unchanged.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "json/json.h"
#include "mcp/tool.h"

using cmcp::json::Value;
using cmcp::mcp::ParamType;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

cmcp::mcp::Tool sample() {
  cmcp::mcp::Tool tool;
  tool.name = "sample";
  tool.params = {
      {"command", ParamType::kString, "", true},
      {"timeout", ParamType::kNumber, "", false, Value(30), 0.1, 600},
      {"count", ParamType::kInteger, "", false, {}, 0, {}},
      {"recursive", ParamType::kBoolean, "", false, Value(false)},
      {"mode", ParamType::kString, "", false, {}, {}, {}, {"read", "write"}},
      {"env", ParamType::kStringMap, ""},
      {"tags", ParamType::kStringList, ""},
  };
  return tool;
}

void check(const cmcp::json::Object& arguments) {
  const auto* timeout = arguments.if_contains("timeout");
  require(arguments.at("command").is_string() && arguments.at("recursive").is_bool());
  require(timeout != nullptr && timeout->is_number());
  require(timeout->to_number<double>() >= 0.1 && timeout->to_number<double>() <= 600);
  if (const auto* count = arguments.if_contains("count")) require(count->to_number<double>() >= 0);
  if (const auto* mode = arguments.if_contains("mode"))
    require(*mode == "read" || *mode == "write");
  if (const auto* env = arguments.if_contains("env"))
    for (const auto& entry : env->as_object()) require(entry.value().is_string());
  if (const auto* tags = arguments.if_contains("tags"))
    for (const auto& tag : tags->as_array()) require(tag.is_string());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const cmcp::mcp::Tool tool = sample();
  const auto value = cmcp::json::parse({reinterpret_cast<const char*>(data), size});
  if (!value.ok()) return 0;
  const auto decoded = cmcp::mcp::decode_arguments(tool, *value);
  if (!decoded.ok()) {
    require(!decoded.error().message().empty());
    require(cmcp::json::parse(cmcp::json::write(Value(decoded.error().message()))).ok());
    return 0;
  }
  check(*decoded);
  const auto again = cmcp::mcp::decode_arguments(tool, Value(*decoded));
  require(again.ok() && *again == *decoded);
  return 0;
}
