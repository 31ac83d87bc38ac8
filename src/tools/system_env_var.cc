#include "tools/system_env_var.h"

#include <optional>
#include <utility>

namespace cmcp::tools {
namespace {

json::Object output_schema() {
  const json::Array text_or_null{"string", "null"};
  return {{"type", "object"},
          {"properties",
           json::Object{{"variables", json::Object{{"type", "object"},
                                                   {"additionalProperties", {{"type", "string"}}}}},
                        {"requested_var", json::Object{{"type", text_or_null}}},
                        {"message", json::Object{{"type", text_or_null}}}}},
          {"required", json::Array{"variables", "requested_var", "message"}}};
}

json::Object describe(const managers::SystemManager& system, const std::string& name) {
  json::Object variables;
  for (const auto& [known, value] : system.variables()) variables[known] = value;
  json::Object object{
      {"variables", std::move(variables)}, {"requested_var", nullptr}, {"message", nullptr}};
  if (name.empty()) return object;
  const managers::VariableView view = system.variable(name);
  if (view.value) {
    object["requested_var"] = *view.value;
  } else {
    object["message"] = view.message;
  }
  return object;
}

}  // namespace

mcp::Tool system_env_var(const managers::SystemManager& system) {
  return {
      .name = "system_env_var",
      .title = "Environment variables",
      .description =
          "Shows the environment variables that sandboxed code sees and the settings of this "
          "server, all of them "
          "or one by name. Secrets are never shown: then requested_var is null and message says "
          "why.",
      .params = {{.name = "var_name",
                  .description =
                      "The variable to look up; without it only the whole list is returned."}},
      .output_schema = output_schema(),
      .annotations = {.read_only = true,
                      .destructive = false,
                      .idempotent = true,
                      .open_world = false},
      .binding =
          [&system](std::shared_ptr<mcp::CallContext>, json::Object arguments, mcp::ToolDone done) {
            const auto name = json::find_string(json::Value(std::move(arguments)), "var_name");
            done({describe(system, name.value_or("")), {}, {}, {}});
          },
  };
}

}  // namespace cmcp::tools
