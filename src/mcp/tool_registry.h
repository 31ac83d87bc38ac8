// The tools by name, their aliases, and the lists that tools/list answers with. Immutable.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "json/json.h"
#include "mcp/tool.h"

namespace cmcp::mcp {

class ToolRegistry {
 public:
  explicit ToolRegistry(std::vector<Tool> tools);
  ToolRegistry(const ToolRegistry&) = delete;
  ToolRegistry& operator=(const ToolRegistry&) = delete;

  // A tool under one of its names. `declaration` has the parameter names that this name takes.
  struct Entry {
    const Tool* tool = nullptr;
    const Tool* declaration = nullptr;
    const std::vector<std::pair<std::string, std::string>>* renamed =
        nullptr;  // alias name, own name
  };
  // nullptr when there is no tool and no alias of that name.
  const Entry* find(std::string_view name) const;
  // "Unknown tool: X." with the nearest known name, for the client.
  std::string unknown_tool(std::string_view name) const;

  // Checks and decodes `arguments` as the entry's name takes them; the result has the tool's own
  // parameter names.
  static Result<json::Object> decode(const Entry& entry, const json::Value& arguments);

  // The entries of tools/list in the order of the constructor; aliases are not listed.
  json::Array list(std::string_view revision) const;

 private:
  std::vector<Tool> tools_;
  std::vector<std::unique_ptr<Tool>> alias_declarations_;
  std::map<std::string, Entry, std::less<>> by_name_;
};

}  // namespace cmcp::mcp
