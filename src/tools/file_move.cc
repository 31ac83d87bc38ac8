#include "tools/file_move.h"

#include <fmt/format.h>

#include "managers/file/extension_rule.h"
#include "tools/file_results.h"

namespace cmcp::tools {
namespace {

json::Object object_of(const file::MoveRequest& request) {
  return {{"success", true},
          {"source", request.source},
          {"destination", request.destination},
          {"error", nullptr}};
}

std::string description(const file::FileOptions& options) {
  const file::ExtensionRule rule(options.allowed_extensions, {});
  return fmt::format(
      "Moves or renames a file or directory of the workspace. destination is the full new path; "
      "its directory must exist. "
      "An existing destination is an error unless overwrite is true; a directory is never "
      "replaced. A symbolic link is "
      "moved itself. Allowed extensions, for source and destination of files: {}.",
      rule.allowed(file::ExtensionRule::Access::kWrite));
}

}  // namespace

mcp::Tool file_move(file::FileManager& files) {
  return {
      .name = "file_move",
      .title = "Move a file",
      .description = description(files.options()),
      .params = {{.name = "source", .description = std::string(kPathHelp), .required = true},
                 {.name = "destination",
                  .description = "The new path, with the new name.",
                  .required = true},
                 {.name = "overwrite",
                  .type = mcp::ParamType::kBoolean,
                  .description = "Replace an existing file at destination.",
                  .default_value = json::Value(false)}},
      .output_schema = object_schema({{"success", "boolean"},
                                      {"source", "string"},
                                      {"destination", "string"},
                                      {"error", or_null("string")}}),
      .annotations = {.read_only = false,
                      .destructive = true,
                      .idempotent = false,
                      .open_world = false},
      .binding =
          [&files](const std::shared_ptr<mcp::CallContext>& context, const json::Object& arguments,
                   mcp::ToolDone done) {
            const file::MoveRequest request{text_argument(arguments, "source"),
                                            text_argument(arguments, "destination"),
                                            flag_argument(arguments, "overwrite")};
            const file::Call call = files.move(
                context->principal(), request, [done, request](const Result<void>& result) {
                  if (!result.ok())
                    return done(failed_file_call(result.error(), object_of(request)));
                  done({object_of(request), {}, {}, {}});
                });
            cancel_with(*context, call);
          },
      .aliases = {{.name = "fs_move",
                   .renamed_params = {{"source_path", "source"},
                                      {"destination_path", "destination"}}}},
  };
}

}  // namespace cmcp::tools
