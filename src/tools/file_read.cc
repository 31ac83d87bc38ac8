#include "tools/file_read.h"

#include <fmt/format.h>

#include "tools/file_results.h"

namespace cmcp::tools {
namespace {

json::Object object_of(const file::ReadResult& result) {
  return {{"content", result.content},
          {"size", result.size},
          {"modified", result.modified},
          {"success", true},
          {"error", nullptr},
          {"total_lines", result.total_lines},
          {"truncated", result.truncated},
          {"next_offset", value_or_null(result.next_offset)},
          {"sha256", result.sha256},
          {"mime_type", result.mime_type},
          {"hint", text_or_null(result.hint)}};
}

std::string description(const file::FileOptions& options) {
  return fmt::format(
      "Reads a file of the workspace and returns its text exactly as it is (line endings and byte "
      "order marks kept), with "
      "size in bytes, modified in seconds since the epoch, sha256 and mime_type. Without offset "
      "and limit the first lines "
      "that fit {} characters are returned; truncated and next_offset say where to go on. limit "
      "returns that many lines "
      "whatever their length, up to a file of {} MB. A binary file needs encoding base64. Also "
      "reads kept outputs of runs "
      "(path output:///ID/STREAM).",
      options.output_max_chars, options.max_size.count / (1024 * 1024));
}

}  // namespace

mcp::Tool file_read(file::FileManager& files) {
  return {
      .name = "file_read",
      .title = "Read a file",
      .description = description(files.options()),
      .params = {{.name = "path", .description = std::string(kPathHelp), .required = true},
                 {.name = "encoding",
                  .description = "utf-8, another of Python's encoding names (latin-1, utf-16, "
                                 "cp1252), or base64 for the "
                                 "raw bytes.",
                  .default_value = json::Value("utf-8")},
                 {.name = "offset",
                  .type = mcp::ParamType::kInteger,
                  .description = "Lines to skip from the start of the file; bytes with base64.",
                  .minimum = 0},
                 {.name = "limit",
                  .type = mcp::ParamType::kInteger,
                  .description = "Lines to return; bytes with base64.",
                  .minimum = 1}},
      .output_schema = {},  // a later version returns images
      .annotations = {.read_only = true,
                      .destructive = false,
                      .idempotent = true,
                      .open_world = false},
      .binding =
          [&files](const std::shared_ptr<mcp::CallContext>& context, const json::Object& arguments,
                   mcp::ToolDone done) {
            file::ReadRequest request;
            request.path = text_argument(arguments, "path");
            request.encoding = text_argument(arguments, "encoding");
            request.offset = integer_argument(arguments, "offset");
            request.limit = integer_argument(arguments, "limit");
            const file::Call call = files.read(
                context->principal(), std::move(request), [done](Result<file::ReadResult> result) {
                  if (!result.ok()) return done(failed_file_call(result.error(), object_of({})));
                  done({object_of(*result), {}, {}, {}});
                });
            cancel_with(*context, call);
          },
      .aliases = {{.name = "fs_read", .renamed_params = {}}},
  };
}

}  // namespace cmcp::tools
