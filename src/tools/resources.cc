#include "tools/resources.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "base/utf8.h"
#include "managers/file/path_name.h"

namespace cmcp::tools {
namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// A zero byte counts as text in JSON, but no client shows it: such a file goes as a blob.
bool is_text(std::string_view bytes) {
  return utf8::is_valid(bytes) && bytes.find('\0') == std::string_view::npos;
}

mcp::ResourceContent content_of(const std::string& uri, std::string mime_type, std::string bytes) {
  mcp::ResourceContent content;
  content.uri = uri;
  content.mime_type = std::move(mime_type);
  content.text = is_text(bytes);
  content.bytes = std::move(bytes);
  return content;
}

}  // namespace

Result<std::string> Resources::file_path(std::string_view uri) {
  constexpr std::string_view kScheme = "file://";
  const auto bad = [&](std::string_view why) {
    return Error(ErrorCode::kInvalidArgument,
                 "Cannot read resource " + file::shown(uri) + ": " + std::string(why));
  };
  if (uri.size() < kScheme.size() || !equals_ignore_case(uri.substr(0, kScheme.size()), kScheme)) {
    return bad("a resource is file:///PATH in the workspace or output:///ID/STREAM");
  }
  const std::string_view rest = uri.substr(kScheme.size());
  std::string path;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] == '?' || rest[i] == '#')
      return bad("it has no query or fragment; write ? as %3F and # as %23");
    if (rest[i] != '%') {
      path.push_back(rest[i]);
      continue;
    }
    const int high = i + 2 < rest.size() ? hex_value(rest[i + 1]) : -1;
    const int low = i + 2 < rest.size() ? hex_value(rest[i + 2]) : -1;
    if (high < 0 || low < 0) return bad("% must be followed by two hexadecimal digits");
    path.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  if (path.empty()) return bad("the path is missing");
  return path;
}

void Resources::read(const auth::Principal& principal, const std::string& uri,
                     std::function<void(Result<mcp::ResourceContent>)> done) {
  if (file::is_kept_output(uri)) {
    Result<std::string> bytes = files_.read_kept(principal, uri);
    if (!bytes.ok()) return done(bytes.take_error());
    const char* type = is_text(*bytes) ? "text/plain" : "application/octet-stream";
    return done(content_of(uri, type, std::move(*bytes)));
  }
  Result<std::string> path = file_path(uri);
  if (!path.ok()) return done(path.take_error());
  files_.read_raw(principal, *path, [uri, done](Result<file::FileCore::RawFile> file) {
    if (!file.ok()) return done(file.take_error());
    done(content_of(uri, std::move(file->mime_type), std::move(file->bytes)));
  });
}

}  // namespace cmcp::tools
