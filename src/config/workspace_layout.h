// WorkspaceLayout: which directories of the host are the workspace, the data, the state. A pure
// decision: nothing is made, moved or opened here (the composition root makes what is missing).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "config/host_facts.h"
#include "config/settings.h"

namespace cmcp::config {

// One directory of the host that sandboxes and file tools see at /workspace (name "") or
// /workspace/NAME.
struct WorkspaceMount {
  std::string name;
  HostPath path;
  bool read_only = false;
  bool users_own = false;  // the user named it (WORKSPACE_DIR, --workspace): it must exist, we
                           // never make or chmod it
  bool operator==(const WorkspaceMount&) const = default;
};

struct WorkspaceLayout {
  HostPath sandbox_root;
  HostPath data_dir;
  HostPath state_dir;
  HostPath temp_dir;
  std::vector<WorkspaceMount> mounts;  // the first has the name ""
  std::vector<std::string> notes;      // to be said at start
};

// What SANDBOX_ROOT holds now.
struct RootContents {
  bool has_files_directory = false;
  bool has_own_files = false;  // anything but our own scratch directories
};
// Looks into `sandbox_root`; a directory that is absent or unreadable holds nothing.
RootContents look_into(const HostPath& sandbox_root);

// One `[NAME=]DIR[:ro]`. kInvalidArgument with what is allowed.
Result<WorkspaceMount> parse_workspace(const std::string& text,
                                       const std::string& working_directory);

// `path` with its links followed as far as it exists.
std::string resolve_links(const std::string& path);

struct LayoutInput {
  std::vector<std::string> workspaces;  // of the command line; they replace WORKSPACE_DIR
  RootContents root;                    // of the setting SANDBOX_ROOT
  std::vector<std::string>
      configuration;  // files that settings were read from, directories where they are looked for
  std::vector<std::string> sockets;  // paths of listening sockets of ours
  std::function<std::string(const std::string&)> resolve = resolve_links;
};
// `settings` has SANDBOX_ROOT, DATA_DIR, STATE_DIR and TEMP_DIR filled in (the loader does that).
// kInvalidArgument for a workspace that is /, the home directory itself, or holds (or lies in) our
// configuration, state or sockets.
Result<WorkspaceLayout> workspace_layout(const Settings& settings, const HostFacts& host,
                                         const LayoutInput& input);

}  // namespace cmcp::config
