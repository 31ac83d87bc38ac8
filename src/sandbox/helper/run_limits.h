// The resource limits and Landlock rules of one run, as lists: whoever builds the sandbox applies
// them.
#pragma once

#include <sys/resource.h>

#include <string>
#include <string_view>
#include <vector>

#include "os/landlock.h"
#include "sandbox/helper/sandbox_child.h"

namespace cmcp::sandbox {

struct ResourceLimit {
  int resource = 0;  // RLIMIT_*
  rlim_t soft = 0;
  rlim_t hard = 0;
};
// In the order in which they must be set: RLIMIT_NOFILE is the last.
std::vector<ResourceLimit> resource_limits(const SandboxPlan& plan);

struct PathRule {
  std::string path;  // in the sandbox
  os::LandlockAccess access = os::LandlockAccess::kRead;
};
// The profile's rules and that of /workspace itself; the workspaces' own are not among them.
std::vector<PathRule> profile_rules(const SandboxPlan& plan);
// Whether `path` lies on a file system that every run has anew: its rule can only be made there.
bool is_of_run(const Profile& profile, std::string_view path);
os::LandlockAccess workspace_access(const Profile& profile, const WorkspaceRoot& root);

}  // namespace cmcp::sandbox
