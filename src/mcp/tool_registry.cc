#include "mcp/tool_registry.h"

#include <utility>

#include "base/strings.h"

namespace cmcp::mcp {
namespace {

// The declaration that an alias has: the same parameters under the alias's names, so that errors
// name what was sent.
std::unique_ptr<Tool> alias_declaration(const Tool& tool, const Tool::Alias& alias) {
  auto declaration = std::make_unique<Tool>();
  declaration->name = alias.name;
  declaration->params = tool.params;
  for (Param& param : declaration->params) {
    for (const auto& [alias_name, own_name] : alias.renamed_params) {
      if (param.name == own_name) {
        param.name = alias_name;
        break;
      }
    }
  }
  return declaration;
}

}  // namespace

ToolRegistry::ToolRegistry(std::vector<Tool> tools) : tools_(std::move(tools)) {
  for (const Tool& tool : tools_) {
    by_name_.emplace(tool.name, Entry{&tool, &tool, nullptr});
    for (const Tool::Alias& alias : tool.aliases) {
      alias_declarations_.push_back(alias_declaration(tool, alias));
      by_name_.emplace(alias.name,
                       Entry{&tool, alias_declarations_.back().get(), &alias.renamed_params});
    }
  }
}

const ToolRegistry::Entry* ToolRegistry::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &found->second;
}

std::string ToolRegistry::unknown_tool(std::string_view name) const {
  std::vector<std::string> known;
  for (const Tool& tool : tools_) known.push_back(tool.name);
  std::string text = "Unknown tool: " + printable(name, 100) + ".";
  const std::string near = nearest(name, known);
  return text +
         (near.empty() ? " There are: " + join(known, ", ") + "." : " Did you mean " + near + "?");
}

Result<json::Object> ToolRegistry::decode(const Entry& entry, const json::Value& arguments) {
  CMCP_TRY(json::Object decoded, decode_arguments(*entry.declaration, arguments));
  if (entry.renamed == nullptr) return decoded;
  for (const auto& [alias_name, own_name] : *entry.renamed) {
    const json::Value* value = json::find(decoded, alias_name);
    if (value == nullptr || alias_name == own_name) continue;
    json::Value moved = *value;
    decoded.erase(alias_name);
    decoded[own_name] = std::move(moved);
  }
  return decoded;
}

json::Array ToolRegistry::list(std::string_view revision) const {
  json::Array entries;
  for (const Tool& tool : tools_) entries.push_back(list_entry(tool, revision));
  return entries;
}

}  // namespace cmcp::mcp
