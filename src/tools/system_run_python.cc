#include "tools/system_run_python.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "tools/refusal.h"
#include "tools/run_arguments.h"

namespace cmcp::tools {
namespace {

std::string description(const managers::PythonManager::Options& options) {
  return fmt::format(
      "Runs Python code in a fresh, isolated sandbox and returns what it printed and a result "
      "value.\n"
      "The code runs as the module __main__ of a new interpreter, in /workspace (shared with the "
      "file tools and bash); nothing "
      "else is kept between calls. Top-level await works. result is the value of `_` if the code "
      "set it, else of a last "
      "expression. output is stdout, error is stderr and the traceback. Only the standard library "
      "is installed; there is no "
      "network. Limits: {} s by default and at most {} s, {} MB of memory; which limit ended a run "
      "is in `limit`.{}",
      options.timeout.default_value.count(), options.timeout.maximum.count(),
      options.memory.count >> 20U,
      options.budget.max_chars == 0
          ? std::string()
          : fmt::format(" Of more than {} characters of output head and tail are shown.",
                        options.budget.max_chars));
}

using RunMeta = std::function<json::Object()>;

mcp::ToolResult tool_result(Result<managers::PythonResult> done, const RunMeta& run_meta) {
  if (!done.ok()) return refused(done.error());
  json::Object object;
  object["output"] = std::move(done->output);
  object["error"] = std::move(done->error);
  object["result"] = std::move(done->result);
  object["success"] = done->success;
  managers::add_fields(done->report, object);
  object["images"] = json::Array{};
  return {std::move(object), {}, run_meta ? run_meta() : json::Object{}, {}};
}

void run(managers::PythonManager& python, const std::shared_ptr<mcp::CallContext>& context,
         const json::Object& arguments, const RunMeta& run_meta, mcp::ToolDone done) {
  RunArguments shared = run_arguments(arguments);
  const auto handle =
      python.run(context->principal().id,
                 {.code = text_argument(arguments, "code"),
                  .working_dir = std::move(shared.working_dir),
                  .timeout_seconds = shared.timeout_seconds,
                  .stdin_data = std::move(shared.stdin_data),
                  .environment = std::move(shared.environment)},
                 {.done =
                      [done = std::move(done), run_meta](Result<managers::PythonResult> result) {
                        done(tool_result(std::move(result), run_meta));
                      },
                  .output = [context](std::string_view text) { context->progress(text); }});
  if (handle != nullptr) context->on_cancel([handle] { handle->cancel(); });
}

}  // namespace

mcp::Tool system_run_python(managers::PythonManager& python, RunMeta run_meta) {
  std::vector<mcp::Param> params = run_params(python.options().timeout);
  params.insert(params.begin(),
                {.name = "code", .description = "The Python code to run.", .required = true});
  return {
      .name = "system_run_python",
      .title = "Run Python",
      .description = description(python.options()),
      .params = std::move(params),
      .output_schema = {},  // none: a later result may carry images, and then no structured content
      .annotations = {.read_only = false,
                      .destructive = true,
                      .idempotent = false,
                      .open_world = false},
      .binding =
          [&python, run_meta = std::move(run_meta)](std::shared_ptr<mcp::CallContext> context,
                                                    json::Object arguments, mcp::ToolDone done) {
            run(python, context, arguments, run_meta, std::move(done));
          },
  };
}

}  // namespace cmcp::tools
