#include "tools/file_list.h"

#include "tools/file_results.h"

namespace cmcp::tools {
namespace {

json::Object object_of(const file::ListEntry& entry) {
  return {{"name", entry.name},
          {"path", entry.path},
          {"is_directory", entry.is_directory},
          {"size", value_or_null(entry.size)},
          {"modified", value_or_null(entry.modified)},
          {"type", entry.type},
          {"symlink_target", value_or_null(entry.symlink_target)},
          {"mode", entry.mode},
          {"error", text_or_null(entry.error)}};
}

json::Object object_of(const std::string& path, const file::ListResult& result) {
  json::Array entries;
  for (const file::ListEntry& entry : result.entries) entries.push_back(object_of(entry));
  return {{"entries", std::move(entries)},
          {"path", path},
          {"success", true},
          {"error", nullptr},
          {"truncated", result.truncated},
          {"total", result.total}};
}

json::Object output_schema() {
  json::Object entry = object_schema({{"name", "string"},
                                      {"path", "string"},
                                      {"is_directory", "boolean"},
                                      {"size", or_null("integer")},
                                      {"modified", or_null("number")},
                                      {"type", "string"},
                                      {"symlink_target", or_null("string")},
                                      {"mode", "string"},
                                      {"error", or_null("string")}});
  return object_schema({{"entries", json::Object{{"type", "array"}, {"items", std::move(entry)}}},
                        {"path", "string"},
                        {"success", "boolean"},
                        {"error", or_null("string")},
                        {"truncated", "boolean"},
                        {"total", "integer"}});
}

}  // namespace

mcp::Tool file_list(file::FileManager& files) {
  return {
      .name = "file_list",
      .title = "List files",
      .description =
          "Lists the files and directories below a directory of the workspace, sorted, with size "
          "in bytes (null for "
          "directories), modified in seconds since the epoch, type (file, directory, symlink, "
          "broken, fifo, socket, device, "
          "unreadable), symlink_target and mode. Paths are relative to the workspace. A recursive "
          "listing does not follow "
          "links and leaves out .git, node_modules, __pycache__ and .venv. total counts all "
          "matches, truncated says that "
          "limit cut them.",
      .params = {{.name = "path",
                  .description = "Directory in the workspace; / is the workspace itself.",
                  .default_value = json::Value("/")},
                 {.name = "pattern",
                  .description =
                      "Glob (*, ?, [a-z]). Without / it is matched against names (*.py), with / "
                      "against the path "
                      "below the listed directory; ** crosses directories (src/**/*.py)."},
                 {.name = "recursive",
                  .type = mcp::ParamType::kBoolean,
                  .description = "Go into sub-directories.",
                  .default_value = json::Value(true)},
                 {.name = "limit",
                  .type = mcp::ParamType::kInteger,
                  .description = "Entries to return at most.",
                  .default_value = json::Value(1000),
                  .minimum = 1,
                  .maximum = 100000},
                 {.name = "include_hidden",
                  .type = mcp::ParamType::kBoolean,
                  .description = "Also names that begin with a dot.",
                  .default_value = json::Value(false)}},
      .output_schema = output_schema(),
      .annotations = {.read_only = true,
                      .destructive = false,
                      .idempotent = true,
                      .open_world = false},
      .binding =
          [&files](const std::shared_ptr<mcp::CallContext>& context, const json::Object& arguments,
                   mcp::ToolDone done) {
            file::ListRequest request;
            request.path = text_argument(arguments, "path");
            request.pattern = optional_text_argument(arguments, "pattern");
            request.recursive = flag_argument(arguments, "recursive");
            request.limit = integer_argument(arguments, "limit").value_or(request.limit);
            request.include_hidden = flag_argument(arguments, "include_hidden");
            const std::string path = request.path;
            const file::Call call =
                files.list(context->principal(), std::move(request),
                           [done, path](Result<file::ListResult> result) {
                             if (!result.ok())
                               return done(failed_file_call(result.error(), object_of(path, {})));
                             done({object_of(path, *result), {}, {}, {}});
                           });
            cancel_with(*context, call);
          },
      .aliases = {{.name = "fs_list", .renamed_params = {}}},
  };
}

}  // namespace cmcp::tools
