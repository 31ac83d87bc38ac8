// Walks a path of the host component by component and remembers the symlinks that it passed, so
// that a view can show the same path: "/usr/bin/awk" -> "/etc/alternatives/awk" -> "/usr/bin/mawk".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "sandbox/helper/profile.h"

namespace cmcp::sandbox {

struct ResolvedPath {
  std::string path;  // without symlinks
  std::vector<Symlink>
      symlinks;  // each at its own place without symlinks, targets as the host has them
};

// kNotFound, kPermissionDenied, kInvalidArgument (not absolute, a loop of links).
Result<ResolvedPath> resolve_path(const std::string& path);

// True when `path` is `directory` or below it. Both absolute, without "..".
bool is_below(std::string_view path, std::string_view directory);
// "/a/b/" -> "/a"; "/" -> "/".
std::string parent_of(const std::string& path);

}  // namespace cmcp::sandbox
