// Launcher: the loop of cmcp-launcher. It receives the profiles once, builds what sandboxes are
// cloned from, and then starts, watches and kills runs until the server closes the socket.
// Single-threaded; pid 1 of its own pid namespace.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "os/fd_passing.h"
#include "os/landlock.h"
#include "os/proc.h"
#include "os/process.h"
#include "sandbox/helper/cgroups.h"
#include "sandbox/helper/facts.h"
#include "sandbox/helper/identity.h"
#include "sandbox/helper/init_abi.h"
#include "sandbox/helper/launcher_root.h"
#include "sandbox/helper/sandbox_child.h"
#include "sandbox/helper/template_space.h"
#include "sandbox/helper/wire.h"
#include "sandbox/helper/workspace_quota.h"

namespace cmcp::sandbox {

struct LauncherParts {
  Fd server;  // the socket
  Fd init;    // sealed memory file with cmcp-init
  Fd stage;   // the same with cmcp-stage: only with the backend bwrap
  Fd proc;    // a detached copy of a whole /proc: only with the backend firejail+native
  wire::Setup setup;
  LauncherFacts facts;  // identity is decided here: kUnprivileged, or kRootIdmapped to be tried
  std::optional<CgroupPool> cgroups;
  std::string subuid;  // the content of /etc/subuid
};

class Launcher {
 public:
  explicit Launcher(LauncherParts parts);
  // Builds roots, identity and workspaces; the caller is pid 1 of its pid namespace and alone in
  // its mount namespace.
  Status set_up();
  // Tells the server that all is ready and serves it. Returns when the server has gone; the caller
  // exits then, and with it ends every sandbox.
  Status serve();

 private:
  using Clock = std::chrono::steady_clock;
  struct Run {
    std::uint64_t id = 0;
    std::uint32_t slot = 0;
    pid_t pid = -1;
    Fd pidfd;
    Fd control;
    Fd errors;  // what bubblewrap wrote
    Clock::time_point deadline;
    std::uint64_t memory = 0;
    std::uint32_t cpu_seconds = 0;
    std::vector<std::string> tmpfs;  // paths in the sandbox whose files are memory
    wire::KillReason reason = wire::KillReason::kNone;
    wire::Ended ended;
    bool heard = false;    // a record that says how it went
    bool silent = false;   // nothing more will be heard
    bool emptied = false;  // init has seen the end of every other process, and ends
    bool told = false;     // the server knows; only the slot is still in use
    std::uint64_t peak_seen = 0;
  };
  // The mounts of one run.
  struct Trees {
    Fd root;  // for bubblewrap
    Fd proc;
    std::vector<Fd> workspaces;
  };

  Status choose_labels();
  Status make_spaces();
  // What a run is cloned with: made while the one before it runs, so that it need not wait. None of
  // it is in any namespace, no process but the launcher has it, and it serves one run only.
  struct Prepared {
    std::size_t profile = 0;
    std::uint32_t slot = 0;
    Trees trees;
    os::SocketPair control;
    std::optional<os::LandlockRuleset> rules;
  };

  Status decide_identity();
  Status tell_kept_groups();
  Status try_idmap();
  Status share_identity(const std::string& reason);
  Result<Fd> workspace_for_server(std::size_t index);
  Result<Owner> owner_of(std::size_t workspace) const;
  Status send_ready();

  void handle(wire::Envelope envelope);
  void start(wire::Envelope envelope);
  Status start_run(const wire::Start& start, std::vector<Fd> payload_fds, Run& run);
  Status make_network();
  Status check(const wire::Start& start, const std::vector<Fd>& payload_fds) const;
  Result<Prepared> prepare(std::size_t profile, std::uint32_t slot);
  Result<Prepared> take_prepared(std::size_t profile);
  void prepare_next(std::size_t profile);
  Result<os::LandlockRuleset> make_rules(const SandboxPlan& plan, const Trees& trees,
                                         std::size_t profile) const;
  Result<Trees> clone_trees(std::size_t profile, std::uint32_t slot);
  Result<Fd> clone_workspace(std::size_t index, const Profile& profile, std::uint32_t slot);
  Result<int> idmap_of(std::size_t workspace, std::uint32_t slot);
  Result<os::Child> clone_child(std::size_t profile, int cgroup) const;
  Owner outer_of(std::uint32_t slot) const;
  std::uint64_t clone_flags() const;
  Status prepare_bwrap(SandboxPlan& plan, Run& run) const;
  void end_orphans_of_runs();
  pid_t sandbox_process(const Run& run, const std::vector<os::ProcessSample>& samples) const;
  Status release(const SandboxPlan& plan, const wire::Start& start, pid_t pid, int control) const;
  std::optional<std::uint32_t> free_slot() const;

  void read_records(Run& run);
  Status wait_for_events(std::vector<pollfd>& polled) const;
  void tell(Run& run, int wait_status);
  void finish(Run& run);
  bool finish_one_told();
  void kill_run(Run& run, wire::KillReason reason);
  void note_cpu(Run& run);
  void enforce_deadlines();
  void watch_usage();
  int poll_timeout() const;
  void send_ended(const wire::Ended& ended);
  void make_quota();
  void watch_quota();
  bool enabled(Layer layer) const { return !parts_.facts.layer_disabled(layer); }
  bool with_bwrap() const { return parts_.setup.backend == Backend::kBwrap; }
  bool is_root() const { return parts_.facts.identity != IdentityMode::kUnprivileged; }
  bool memory_in_cgroup() const { return parts_.cgroups.has_value(); }

  LauncherParts parts_;
  LauncherRoot root_;
  std::vector<std::optional<PayloadLabel>> labels_;  // AppArmor, per profile
  TemplateSpaces spaces_;
  std::vector<Fd> filters_;  // sealed memory file per profile; invalid where it has none
  std::uint32_t first_slot_uid_ = 0;
  Owner shared_;  // the payload's host ids where all slots share one
  std::map<std::pair<std::size_t, std::uint32_t>, Fd> idmaps_;  // (workspace, slot)
  std::map<std::uint64_t, Run> runs_;
  std::optional<Prepared> next_;
  std::vector<bool> busy_;
  Clock::time_point next_watch_;
  std::unique_ptr<WorkspaceQuota> quota_;  // none: no quota is set
  bool network_ready_ = false;  // the launcher is in a network namespace that no run has used
  bool gone_ = false;           // the server
};

}  // namespace cmcp::sandbox
