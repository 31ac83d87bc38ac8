#include "tools/file_delete.h"

#include "tools/file_results.h"

namespace cmcp::tools {
namespace {

json::Object object_of(const std::string& path) {
  return {{"success", true}, {"path", path}, {"error", nullptr}};
}

}  // namespace

mcp::Tool file_delete(file::FileManager& files) {
  return {
      .name = "file_delete",
      .title = "Delete a file",
      .description =
          "Deletes a file of the workspace, or with recursive a directory with all it holds. A "
          "symbolic link is deleted "
          "itself, never what it leads to. The workspace itself cannot be deleted. There is no way "
          "back.",
      .params = {{.name = "path", .description = std::string(kPathHelp), .required = true},
                 {.name = "recursive",
                  .type = mcp::ParamType::kBoolean,
                  .description = "Delete a directory with all it holds.",
                  .default_value = json::Value(false)}},
      .output_schema =
          object_schema({{"success", "boolean"}, {"path", "string"}, {"error", or_null("string")}}),
      .annotations = {.read_only = false,
                      .destructive = true,
                      .idempotent = false,
                      .open_world = false},
      .binding =
          [&files](const std::shared_ptr<mcp::CallContext>& context, const json::Object& arguments,
                   mcp::ToolDone done) {
            file::DeleteRequest request{text_argument(arguments, "path"),
                                        flag_argument(arguments, "recursive")};
            const std::string path = request.path;
            const file::Call call = files.remove(
                context->principal(), std::move(request), [done, path](const Result<void>& result) {
                  if (!result.ok()) return done(failed_file_call(result.error(), object_of(path)));
                  done({object_of(path), {}, {}, {}});
                });
            cancel_with(*context, call);
          },
      .aliases = {{.name = "fs_delete", .renamed_params = {}}},
  };
}

}  // namespace cmcp::tools
