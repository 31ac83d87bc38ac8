// bubblewrap as a backend: which one is installed, and whether it may be used.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sandbox/helper/profile.h"

namespace cmcp::sandbox {

struct Version {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned patch = 0;
  auto operator<=>(const Version&) const = default;
};
std::string text_of(const Version& version);
// The first "N.N[.N]" in a text like "bubblewrap 0.8.0"; kProtocol when there is none.
Result<Version> find_version(std::string_view text);

struct Bwrap {
  Version version;
  bool disable_userns = false;  // it knows --disable-userns
  std::vector<std::string> notes;
};

// What is said of a version; kUnsupported when it is too old to be used at all. Pure.
Result<Bwrap> judge_bwrap(const Version& version);
// Looks at /usr/bin/bwrap and asks it. kNotFound names the package, kPermissionDenied a program
// that another user than root could have changed, or that is set-uid (not this build's way to use
// it). Starts a process: before any thread.
Result<Bwrap> find_bwrap();
// Every mount point must exist in the read-only root: no workspace may lie below another one, so
// there can be but one.
Status check_bwrap_workspaces(const std::vector<WorkspaceRoot>& roots);

}  // namespace cmcp::sandbox
