// The launcher's forked child: turns itself into an empty sandbox step by step and becomes
// cmcp-init. Each step is checked; a failing one is reported by number and errno over the control
// socket, and nothing runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "os/landlock.h"
#include "sandbox/helper/facts.h"
#include "sandbox/helper/identity.h"
#include "sandbox/helper/init_abi.h"
#include "sandbox/helper/payload_label.h"
#include "sandbox/helper/profile.h"

namespace cmcp::sandbox {

// With the backend bwrap.
struct BwrapRun {
  int stage = -1;   // memory file of cmcp-stage
  int errors = -1;  // what bubblewrap says when it fails
  bool disable_userns = false;
};

// Everything that the child needs, prepared by the launcher before it forks.
struct SandboxPlan {
  const Profile* profile = nullptr;
  const LauncherFacts* facts = nullptr;
  const std::vector<WorkspaceRoot>* workspaces = nullptr;
  bool writes_own_maps = false;   // unprivileged start
  bool drop_groups = false;       // root start
  Owner outer;                    // who the payload is outside its user namespace
  std::vector<int> cgroup_joins;  // write "0" to each
  bool limit_data = false;        // no memory cgroup: RLIMIT_DATA
  Bytes memory;
  Bytes file_size;
  int template_tree = -1;  // for bubblewrap: a detached clone
  int proc_tree = -1;      // only without the pid namespace layer: a clone of the launcher's /proc
  std::vector<int> workspace_trees;      // detached clones, in the order of `workspaces`
  os::LandlockRuleset* rules = nullptr;  // with the template's rules and the workspaces'
  int control = -1;
  int seccomp = -1;                     // memory file, or -1
  int init = -1;                        // memory file of cmcp-init
  int proc = -1;                        // the launcher's procfs; the template's shows no process
  const PayloadLabel* label = nullptr;  // AppArmor, where it is to be had
  std::optional<BwrapRun> bwrap;
  std::vector<int> payload_fds;
  std::vector<std::string> argv;
  std::vector<std::string> environment;

  bool has(Layer layer) const { return !facts->layer_disabled(layer); }
  // Both need no_new_privs: without that layer they are left out too.
  bool uses_landlock() const {
    return has(Layer::kLandlock) && has(Layer::kNoNewPrivs) && facts->landlock_abi > 0 &&
           has(Layer::kMountNamespace) && !profile->landlock.empty();
  }
  bool uses_seccomp() const {
    return has(Layer::kSeccomp) && has(Layer::kNoNewPrivs) && !profile->seccomp.empty();
  }
};

// Never returns: becomes init, or reports and exits. Call in the child of os::fork_with.
[[noreturn]] void become_sandbox(const SandboxPlan& plan);

// "mounting /proc" …: what a step does, for messages.
const char* name_of(SetupStep step);

}  // namespace cmcp::sandbox
