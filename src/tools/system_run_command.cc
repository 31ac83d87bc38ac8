#include "tools/system_run_command.h"

#include <fmt/format.h>

#include <utility>

#include "tools/refusal.h"
#include "tools/run_arguments.h"

namespace cmcp::tools {
namespace {

using managers::BashManager;
using managers::BashOptions;
using managers::BashRequest;
using managers::BashResult;

// The list as a description shows it: a very long one is cut, the refusal of a command has it
// whole.
constexpr std::size_t kMaxListBytes = 600;

std::string shown_list(const managers::AllowList& list) {
  if (list.listed().size() <= kMaxListBytes) return list.listed();
  std::string shown;
  std::size_t count = 0;
  for (const auto& name : list.names()) {
    if (shown.size() + name.size() + 2 > kMaxListBytes) break;
    if (!shown.empty()) shown += ", ";
    shown += name;
    ++count;
  }
  return fmt::format("{} and {} more", shown, list.names().size() - count);
}

std::string which_commands(const BashManager& manager) {
  if (!manager.options().restricted) return "Every installed command may be used.";
  if (manager.allow_list().empty()) {
    return "No command is allowed at present: the operator must set BASH_ALLOWED_COMMANDS or "
           "COMMAND_RESTRICTED=false.";
  }
  return fmt::format(
      "Only these commands and the shell's own builtins may be used: {}. Any other is refused "
      "before "
      "anything runs (exit_code 126) and cannot be started by other means.",
      shown_list(manager.allow_list()));
}

std::string description(const BashManager& manager) {
  const BashOptions& options = manager.options();
  return fmt::format(
      "Runs a bash command (`bash -c`) in a fresh sandbox and returns stdout, stderr and "
      "exit_code. It starts in /workspace, "
      "the directory that the file tools and Python share; files there stay, everything else "
      "(variables, cd, /tmp, "
      "processes) is gone after the call. {} There is no network. Limits: {} s by default and at "
      "most {} s, {} MB of memory; "
      "which limit ended a run is in `limit`. The run ends with its main process: background jobs "
      "are killed then and "
      "counted in killed_processes. {}"
      "Exit codes are those of a shell: 124 timeout, 126 not allowed or not executable, 127 not "
      "found, 128+N ended by "
      "signal N (named in `signal`).",
      which_commands(manager), options.timeout.default_value.count(),
      options.timeout.maximum.count(), options.memory.count >> 20U,
      options.budget.max_chars == 0
          ? std::string()
          : fmt::format("Of more than {} characters of output head and tail are shown. ",
                        options.budget.max_chars));
}

std::vector<mcp::Param> params(const BashOptions& options) {
  std::vector<mcp::Param> all = run_params(options.timeout);
  all.insert(all.begin(), {.name = "command",
                           .description = "The command text; several lines are fine.",
                           .required = true});
  return all;
}

json::Object output_schema() {
  json::Object properties;
  properties["stdout"] = json::Object{{"type", "string"}};
  properties["stderr"] = json::Object{{"type", "string"}};
  properties["success"] = json::Object{{"type", "boolean"}};
  managers::add_schema_properties(properties);
  json::Array required;
  for (const auto& property : properties) required.emplace_back(property.key());
  return {
      {"type", "object"}, {"properties", std::move(properties)}, {"required", std::move(required)}};
}

BashRequest request_of(const json::Object& arguments) {
  RunArguments shared = run_arguments(arguments);
  return {.command = text_argument(arguments, "command"),
          .working_dir = std::move(shared.working_dir),
          .timeout_seconds = shared.timeout_seconds,
          .stdin_data = std::move(shared.stdin_data),
          .environment = std::move(shared.environment)};
}

mcp::ToolResult tool_result(Result<BashResult> result,
                            const std::function<json::Object()>& run_meta) {
  if (!result.ok()) return refused(result.error());
  mcp::ToolResult out;
  out.object["stdout"] = result->out;
  out.object["stderr"] = result->err;
  managers::add_fields(result->report, out.object);
  out.object["success"] = result->success;
  if (run_meta) out.meta = run_meta();
  return out;
}

}  // namespace

mcp::Tool system_run_command(BashManager& manager, std::function<json::Object()> run_meta) {
  mcp::Tool tool;
  tool.name = "system_run_command";
  tool.title = "Run a bash command";
  tool.description = description(manager);
  tool.params = params(manager.options());
  tool.output_schema = output_schema();
  // A command may change and delete what is in the workspace; it reaches nothing outside the
  // sandbox.
  tool.annotations = {
      .read_only = false, .destructive = true, .idempotent = false, .open_world = false};
  tool.binding = [&manager, run_meta = std::move(run_meta)](
                     std::shared_ptr<mcp::CallContext> context, json::Object arguments,
                     mcp::ToolDone done) {
    managers::BashEvents events;
    events.done = [done = std::move(done), run_meta](Result<BashResult> result) {
      done(tool_result(std::move(result), run_meta));
    };
    events.output = [context](std::string_view text) { context->progress(text); };
    const auto handle = manager.run(context->principal(), request_of(arguments), std::move(events));
    if (handle) context->on_cancel([handle] { handle->cancel(); });
  };
  return tool;
}

}  // namespace cmcp::tools
