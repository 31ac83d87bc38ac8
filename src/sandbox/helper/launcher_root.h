// LauncherRoot: the launcher's own minimal root file system: one template root per profile, the
// workspaces, a /proc, and nothing else of the host. The templates move into mount namespaces of
// their own, see template_space.h.
//
//   /proc        a procfs of the launcher's pid namespace
//   /t/N         the template of profile N: read-only, with every mount point that a sandbox needs
//   /w/N         workspace root N
//   /b           where trees are put that bubblewrap binds (only with the backend bwrap)
//   /n           where bubblewrap finds the clone of a template (likewise)
#pragma once

#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "sandbox/helper/facts.h"
#include "sandbox/helper/profile.h"

namespace cmcp::sandbox {

inline constexpr const char* kAttachPoint = "/n";

struct LauncherRootOptions {
  const std::vector<Profile>& profiles;
  const std::vector<WorkspaceRoot>& workspaces;
  bool read_only = true;    // false: the layer read_only_root is left out
  bool with_bwrap = false;  // what bubblewrap itself needs is brought in
  int whole_proc = -1;      // a detached /proc that nothing covers, to be shown to the kernel
  bool keep_host_view =
      false;  // the layer mount_namespace is left out: nothing is built, the host's root stays
};

struct LauncherRoot {
  Fd proc;                     // O_PATH, of /proc
  std::vector<Fd> workspaces;  // O_PATH, in the launcher's mount namespace
  bool fresh_proc = true;      // false: a copy of the outer /proc, see proc_reason
  std::string proc_reason;
};

// Builds it and makes it the calling process's root. The process must be alone in a mount and pid
// namespace of its own and have CAP_SYS_ADMIN over them. The error names profile, step and path.
Result<LauncherRoot> enter_launcher_root(const LauncherRootOptions& options);

// The path of template `profile` in the launcher's root.
std::string template_path(std::size_t profile);
// Where root `root` of `workspaces` is mounted in a sandbox: "/workspace" or "/workspace/NAME".
std::string workspace_target(const WorkspaceRoot& root);

}  // namespace cmcp::sandbox
