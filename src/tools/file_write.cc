#include "tools/file_write.h"

#include <fmt/format.h>

#include "managers/file/extension_rule.h"
#include "tools/file_results.h"

namespace cmcp::tools {
namespace {

json::Object object_of(const std::string& path, const file::WriteResult& result) {
  return {{"success", true},         {"path", path},
          {"error", nullptr},        {"size", result.size},
          {"sha256", result.sha256}, {"created", result.created}};
}

std::string description(const file::FileOptions& options) {
  const file::ExtensionRule rule(options.allowed_extensions, {});
  return fmt::format(
      "Writes a file of the workspace: makes it (with its parent directories), replaces it, or "
      "with append adds to its end. "
      "The write is atomic: the file is wholly old or wholly new. Its mode is kept, a symbolic "
      "link stays one and its target "
      "is updated, another hard link keeps the old content. With if_sha256 the write happens only "
      "if the file still has "
      "that hash (as file_read gave it). At most {} MB. Allowed extensions: {}.",
      options.max_size.count / (1024 * 1024), rule.allowed(file::ExtensionRule::Access::kWrite));
}

}  // namespace

mcp::Tool file_write(file::FileManager& files) {
  return {
      .name = "file_write",
      .title = "Write a file",
      .description = description(files.options()),
      .params = {{.name = "path", .description = std::string(kPathHelp), .required = true},
                 {.name = "content",
                  .description = "The text, written exactly as given.",
                  .required = true},
                 {.name = "encoding",
                  .description = "utf-8, another of Python's encoding names, or base64 when "
                                 "content is base64 of raw bytes.",
                  .default_value = json::Value("utf-8")},
                 {.name = "append",
                  .type = mcp::ParamType::kBoolean,
                  .description = "Add to the end of the file in place of replacing it.",
                  .default_value = json::Value(false)},
                 {.name = "if_sha256",
                  .description =
                      "Write only if the file now has this SHA-256 (64 hexadecimal digits)."}},
      .output_schema = object_schema({{"success", "boolean"},
                                      {"path", "string"},
                                      {"error", or_null("string")},
                                      {"size", "integer"},
                                      {"sha256", "string"},
                                      {"created", "boolean"}}),
      .annotations = {.read_only = false,
                      .destructive = true,
                      .idempotent = false,
                      .open_world = false},
      .binding =
          [&files](const std::shared_ptr<mcp::CallContext>& context, const json::Object& arguments,
                   mcp::ToolDone done) {
            file::WriteRequest request;
            request.path = text_argument(arguments, "path");
            request.content = text_argument(arguments, "content");
            request.encoding = text_argument(arguments, "encoding");
            request.append = flag_argument(arguments, "append");
            request.if_sha256 = optional_text_argument(arguments, "if_sha256");
            const std::string path = request.path;
            const file::Call call =
                files.write(context->principal(), std::move(request),
                            [done, path](Result<file::WriteResult> result) {
                              if (!result.ok())
                                return done(failed_file_call(result.error(), object_of(path, {})));
                              done({object_of(path, *result), {}, {}, {}});
                            });
            cancel_with(*context, call);
          },
      .aliases = {{.name = "fs_write", .renamed_params = {}}},
  };
}

}  // namespace cmcp::tools
