#include "tools/run_arguments.h"

namespace cmcp::tools {

std::vector<mcp::Param> run_params(const managers::TimeoutRule& timeout) {
  return {
      {.name = "working_dir",
       .description = "Directory inside the workspace to start in, for example \"src\" or "
                      "\"/workspace/src\". Default: the "
                      "workspace."},
      {.name = "timeout",
       .type = mcp::ParamType::kNumber,
       .description = "Seconds until the run is ended.",
       .default_value = timeout.default_value.count(),
       .minimum = 0,
       .maximum = static_cast<double>(timeout.maximum.count())},
      {.name = "stdin", .description = "Text given on standard input. Default: empty."},
      {.name = "env",
       .type = mcp::ParamType::kStringMap,
       .description = "Environment variables to add. Loader and start-up hooks (LD_*, PYTHON*, "
                      "BASH_ENV, …) are refused."},
  };
}

RunArguments run_arguments(const json::Object& arguments) {
  RunArguments out;
  out.working_dir = text_argument(arguments, "working_dir");
  if (const json::Value* timeout = json::find(arguments, "timeout"))
    out.timeout_seconds = timeout->to_number<double>();
  if (json::find(arguments, "stdin") != nullptr) out.stdin_data = text_argument(arguments, "stdin");
  if (const json::Value* env = json::find(arguments, "env")) {
    for (const auto& entry : env->as_object()) {
      out.environment.emplace_back(entry.key(), json::view(entry.value().as_string()));
    }
  }
  return out;
}

std::string text_argument(const json::Object& arguments, std::string_view name) {
  const json::Value* value = json::find(arguments, name);
  return value != nullptr && value->is_string() ? std::string(json::view(value->get_string())) : "";
}

}  // namespace cmcp::tools
