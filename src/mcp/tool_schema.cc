// The wire form of a declaration: inputSchema and the entry of tools/list.
#include <cmath>
#include <utility>

#include "mcp/revision.h"
#include "mcp/tool.h"

namespace cmcp::mcp {
namespace {

const char* schema_type(ParamType type) {
  switch (type) {
    case ParamType::kString:
      return "string";
    case ParamType::kInteger:
      return "integer";
    case ParamType::kNumber:
      return "number";
    case ParamType::kBoolean:
      return "boolean";
    case ParamType::kStringMap:
      return "object";
    case ParamType::kStringList:
      return "array";
  }
  return "string";
}

// 600.0 is written as 600: bounds are read by people too.
json::Value bound(double value) {
  if (value == std::trunc(value) && std::fabs(value) < 1e15)
    return static_cast<std::int64_t>(value);
  return value;
}

json::Object param_schema(const Param& param) {
  json::Object schema;
  schema["type"] = schema_type(param.type);
  if (!param.description.empty()) schema["description"] = param.description;
  if (param.type == ParamType::kStringMap) schema["additionalProperties"] = {{"type", "string"}};
  if (param.type == ParamType::kStringList) schema["items"] = {{"type", "string"}};
  if (!param.choices.empty()) {
    json::Array choices;
    for (const std::string& choice : param.choices) choices.emplace_back(choice);
    schema["enum"] = std::move(choices);
  }
  if (param.minimum) schema["minimum"] = bound(*param.minimum);
  if (param.maximum) schema["maximum"] = bound(*param.maximum);
  if (param.default_value) schema["default"] = *param.default_value;
  return schema;
}

}  // namespace

const char* name_of(RefusalCode code) {
  switch (code) {
    case RefusalCode::kInvalidArgument:
      return "invalid_argument";
    case RefusalCode::kUnauthorized:
      return "unauthorized";
    case RefusalCode::kBusy:
      return "busy";
    case RefusalCode::kSandboxUnavailable:
      return "sandbox_unavailable";
    case RefusalCode::kCancelled:
      return "cancelled";
  }
  return "invalid_argument";
}

json::Object input_schema(const Tool& tool) {
  json::Object properties;
  json::Array required;
  for (const Param& param : tool.params) {
    properties[param.name] = param_schema(param);
    if (param.required) required.emplace_back(param.name);
  }
  json::Object schema;
  schema["type"] = "object";
  schema["properties"] = std::move(properties);
  if (!required.empty()) schema["required"] = std::move(required);
  schema["additionalProperties"] = false;
  return schema;
}

json::Object list_entry(const Tool& tool, std::string_view revision) {
  const Features features = features_of(revision);
  json::Object entry;
  entry["name"] = tool.name;
  if (features.titles && !tool.title.empty()) entry["title"] = tool.title;
  entry["description"] = tool.description;
  entry["inputSchema"] = input_schema(tool);
  if (features.structured && !tool.output_schema.empty())
    entry["outputSchema"] = tool.output_schema;
  if (features.annotations) {
    json::Object annotations;
    // 2025-03-26 has a title here only.
    if (!features.titles && !tool.title.empty()) annotations["title"] = tool.title;
    annotations["readOnlyHint"] = tool.annotations.read_only;
    annotations["destructiveHint"] = tool.annotations.destructive && !tool.annotations.read_only;
    annotations["idempotentHint"] = tool.annotations.idempotent;
    annotations["openWorldHint"] = tool.annotations.open_world;
    entry["annotations"] = std::move(annotations);
  }
  return entry;
}

}  // namespace cmcp::mcp
