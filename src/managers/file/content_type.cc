#include "managers/file/content_type.h"

#include <array>
#include <utility>

#include "base/utf8.h"
#include "managers/file/extension_rule.h"

namespace cmcp::file {
namespace {

using namespace std::string_view_literals;
using Row = std::pair<std::string_view, std::string_view>;

constexpr std::array kSignatures = {
    Row{"\x89PNG\r\n\x1a\n"sv, "image/png"},
    Row{"\xFF\xD8\xFF"sv, "image/jpeg"},
    Row{"GIF87a"sv, "image/gif"},
    Row{"GIF89a"sv, "image/gif"},
    Row{"%PDF-"sv, "application/pdf"},
    Row{"PK\x03\x04"sv, "application/zip"},
    Row{"\x1F\x8B"sv, "application/gzip"},
    Row{"BZh"sv, "application/x-bzip2"},
    Row{"\xFD"
        "7zXZ\0"sv,
        "application/x-xz"},
    Row{"\x28\xB5\x2F\xFD"sv, "application/zstd"},
    Row{"\x7F"
        "ELF"sv,
        "application/x-executable"},
    Row{"SQLite format 3\0"sv, "application/vnd.sqlite3"},
    Row{"OggS"sv, "audio/ogg"},
    Row{"ID3"sv, "audio/mpeg"},
    Row{"\0asm"sv, "application/wasm"},
};

constexpr std::array kExtensions = {
    Row{"txt", "text/plain"},
    Row{"md", "text/markdown"},
    Row{"csv", "text/csv"},
    Row{"json", "application/json"},
    Row{"py", "text/x-python"},
    Row{"html", "text/html"},
    Row{"htm", "text/html"},
    Row{"css", "text/css"},
    Row{"js", "text/javascript"},
    Row{"xml", "application/xml"},
    Row{"svg", "image/svg+xml"},
    Row{"yaml", "application/yaml"},
    Row{"yml", "application/yaml"},
    Row{"toml", "application/toml"},
    Row{"sh", "application/x-sh"},
    Row{"png", "image/png"},
    Row{"jpg", "image/jpeg"},
    Row{"jpeg", "image/jpeg"},
    Row{"gif", "image/gif"},
    Row{"webp", "image/webp"},
    Row{"pdf", "application/pdf"},
    Row{"zip", "application/zip"},
    Row{"tsv", "text/tab-separated-values"},
};

}  // namespace

std::string_view signature_type(std::string_view bytes) {
  if (bytes.size() >= 12 && bytes.starts_with("RIFF") && bytes.substr(8, 4) == "WEBP")
    return "image/webp";
  for (const auto& [signature, type] : kSignatures) {
    if (bytes.starts_with(signature)) return type;
  }
  return "";
}

bool has_zero_byte(std::string_view bytes) {
  return bytes.substr(0, 65536).find('\0') != std::string_view::npos;
}

std::string mime_type(std::string_view name, std::string_view bytes) {
  const bool text = utf8::is_valid(bytes);
  const std::string_view by_bytes = signature_type(bytes);
  // Text that only begins like a signature ("BZh", "ID3") is text.
  if (!by_bytes.empty() && (!text || has_zero_byte(bytes) || by_bytes == "application/pdf"))
    return std::string(by_bytes);
  const auto suffix = ExtensionRule::suffix(name);
  // UTF-16 has zero bytes and begins with a mark; other bytes are no text, whatever the name says.
  const bool marked = bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF");
  const bool no_text = !text && has_zero_byte(bytes) && !marked;
  for (const auto& [extension, type] : kExtensions) {
    if (no_text && type.starts_with("text/")) continue;
    if (suffix && *suffix == extension) return std::string(type);
  }
  return text ? "text/plain" : "application/octet-stream";
}

}  // namespace cmcp::file
