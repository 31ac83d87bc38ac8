#include "managers/file/path_name.h"

#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"

namespace cmcp::file {
namespace {

// True when `path` is /workspace or lies below it; then `path` becomes what follows.
bool strip_mount_point(std::string_view& path) {
  // "//workspace" is "/workspace", as for the kernel.
  std::string_view rest = path;
  while (rest.starts_with("//")) rest.remove_prefix(1);
  if (!rest.starts_with(kMountPoint)) return false;
  rest.remove_prefix(kMountPoint.size());
  if (!rest.empty() && rest.front() != '/') return false;
  path = rest;
  return true;
}

std::vector<std::string> components(std::string_view path) {
  std::vector<std::string> parts = split(path, '/');
  std::erase_if(parts, [](const std::string& part) { return part.empty() || part == "."; });
  return parts;
}

}  // namespace

bool PathName::climbs_out() const {
  std::size_t depth = 0;
  for (const std::string& part : parts) {
    if (part != "..") {
      ++depth;
    } else if (depth == 0) {
      return true;
    } else {
      --depth;
    }
  }
  return false;
}

Result<PathName> parse_path(std::string_view spelling) {
  if (spelling.size() > kMaxPathBytes) {
    return Error(ErrorCode::kInvalidArgument,
                 "Path too long: " + std::to_string(spelling.size()) + " bytes (maximum " +
                     std::to_string(kMaxPathBytes) + "): " + shown(spelling.substr(0, 60)) + "…");
  }
  if (spelling.find('\0') != std::string_view::npos) {
    return Error(ErrorCode::kInvalidArgument,
                 "Invalid path: " + shown(spelling) + " contains a NUL character");
  }
  std::string_view rest = spelling;
  strip_mount_point(rest);
  PathName name;
  name.parts = components(rest);
  const std::size_t slash = rest.rfind('/');
  const std::string_view last = slash == std::string_view::npos ? rest : rest.substr(slash + 1);
  name.ends_in_dots = last == "." || last == "..";
  name.directory_form = name.parts.empty() || last.empty() || name.ends_in_dots;
  for (const std::string& part : name.parts) {
    if (part.size() > kMaxNameBytes) {
      return Error(ErrorCode::kInvalidArgument,
                   "File name too long: " + std::to_string(part.size()) + " bytes (maximum " +
                       std::to_string(kMaxNameBytes) + "): " + shown(part.substr(0, 60)) + "…");
    }
  }
  return name;
}

LinkTarget parse_link(std::string_view target) {
  LinkTarget link;
  link.absolute = target.starts_with('/');
  if (link.absolute && !strip_mount_point(target)) {
    link.outside = true;
    return link;
  }
  link.parts = components(target);
  return link;
}

std::string shown(std::string_view path) {
  constexpr std::size_t kLimit = 300;
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  const std::string valid = escape_name(path.substr(0, kLimit));
  for (const char c : valid) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      out.append({'\\', 'x', kHex[byte >> 4U], kHex[byte & 15U]});
    } else {
      out.push_back(c);
    }
  }
  if (path.size() > kLimit) out += "…";
  return out;
}

std::string escape_name(std::string_view name) {
  if (utf8::is_valid(name)) return std::string(name);
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  while (!name.empty()) {
    std::size_t length = 1;
    while (length <= 4 && length <= name.size() && !utf8::is_valid(name.substr(0, length)))
      ++length;
    if (length <= 4 && length <= name.size()) {
      out.append(name.substr(0, length));
      name.remove_prefix(length);
    } else {
      const auto byte = static_cast<unsigned char>(name.front());
      out.append({'\\', 'x', kHex[byte >> 4U], kHex[byte & 15U]});
      name.remove_prefix(1);
    }
  }
  return out;
}

}  // namespace cmcp::file
