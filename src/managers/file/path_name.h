// PathName: how a client spells a path of the workspace, taken apart. Pure text; workspace.h looks
// it up.
//
// `/workspace/x`, `/x` and `x` are the same file; "", "/" and "/workspace" are the workspace
// itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cmcp::file {

// Where sandboxed programs see the workspace.
inline constexpr std::string_view kMountPoint = "/workspace";
inline constexpr std::size_t kMaxPathBytes = 4095;
inline constexpr std::size_t kMaxNameBytes = 255;

struct PathName {
  std::vector<std::string>
      parts;  // without "" and "."; ".." stays, only a walk can tell what it means
  bool directory_form = false;  // ends in "/", "." or "..": it can only name a directory
  bool ends_in_dots = false;    // the last component as spelled is "." or ".."
  // True when the ".." lead above the workspace, seen as text alone.
  bool climbs_out() const;
};

// Takes `spelling` apart. kInvalidArgument, naming the path, for a NUL byte, a name above 255
// bytes, a path above 4095.
Result<PathName> parse_path(std::string_view spelling);

// `path` for a message: valid UTF-8, control characters escaped, at most 300 bytes.
std::string shown(std::string_view path);

// A file name as valid UTF-8: bytes that are not are written \xNN.
std::string escape_name(std::string_view name);

// The target of a symbolic link as a path from /workspace: absolute targets below /workspace are
// re-rooted.
struct LinkTarget {
  bool outside = false;   // absolute and not below /workspace
  bool absolute = false;  // starts over at /workspace
  std::vector<std::string> parts;
};
LinkTarget parse_link(std::string_view target);

}  // namespace cmcp::file
