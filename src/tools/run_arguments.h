// The parameters that the two run tools share, and how a call's arguments become them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/json.h"
#include "managers/run_common/environment_rules.h"
#include "managers/run_common/run_rules.h"
#include "mcp/tool.h"

namespace cmcp::tools {

// working_dir, timeout, stdin, env.
std::vector<mcp::Param> run_params(const managers::TimeoutRule& timeout);

struct RunArguments {
  std::string working_dir;
  std::optional<double> timeout_seconds;
  std::optional<std::string> stdin_data;
  managers::Environment environment;
};
// From arguments that fit the declaration.
RunArguments run_arguments(const json::Object& arguments);
// A string argument; "" when absent.
std::string text_argument(const json::Object& arguments, std::string_view name);

}  // namespace cmcp::tools
