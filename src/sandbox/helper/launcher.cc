#include "sandbox/helper/launcher.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "os/error.h"
#include "os/file.h"
#include "os/landlock.h"
#include "os/memfd.h"
#include "os/mount.h"
#include "os/network.h"
#include "os/privileges.h"
#include "os/process.h"
#include "sandbox/helper/bwrap_child.h"
#include "sandbox/helper/init_records.h"
#include "sandbox/helper/orphans.h"
#include "sandbox/helper/run_limits.h"
#include "sandbox/helper/watchdog.h"

namespace cmcp::sandbox {
namespace {

constexpr std::chrono::milliseconds kWatchInterval{200};

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

bool has_nul(const std::string& text) {
  return text.find('\0') != std::string::npos;
}

bool any_nul(const std::vector<std::string>& texts) {
  return std::any_of(texts.begin(), texts.end(), has_nul);
}

// The profile's environment with the run's variables added; a later one of the same name wins.
std::vector<std::string> merge_environment(const std::vector<std::string>& base,
                                           const std::vector<std::string>& added) {
  std::vector<std::string> merged;
  std::map<std::string, std::size_t> place;
  for (const auto* list : {&base, &added}) {
    for (const auto& entry : *list) {
      const auto [at, is_new] = place.try_emplace(entry.substr(0, entry.find('=')), merged.size());
      if (is_new) {
        merged.push_back(entry);
      } else {
        merged[at->second] = entry;
      }
    }
  }
  return merged;
}

// bubblewrap ended and nothing in it was heard of: it could not build the sandbox, and says why.
void explain_bwrap(const Fd& errors, wire::KillReason reason, wire::Ended& ended) {
  if (!errors || reason != wire::KillReason::kNone) return;
  std::array<char, 1024> text{};
  const ssize_t size = ::pread(errors.get(), text.data(), text.size(), 0);
  if (size <= 0) return;
  std::string said(text.data(), static_cast<std::size_t>(size));
  while (!said.empty() && said.back() == '\n') said.pop_back();
  ended.kind = wire::Ended::Kind::kFailed;
  ended.failure = "the sandbox could not be set up: bubblewrap ended with: " + said;
}

Error invalid(const std::string& what) {
  return {ErrorCode::kInvalidArgument, "the launcher refuses the run: " + what};
}

}  // namespace

Launcher::Launcher(LauncherParts parts)
    : parts_(std::move(parts)), busy_(parts_.setup.max_runs, false) {}

// ---- set-up ----

Status Launcher::set_up() {
  CMCP_TRY(root_, enter_launcher_root({.profiles = parts_.setup.profiles,
                                       .workspaces = parts_.setup.roots,
                                       .read_only = enabled(Layer::kReadOnlyRoot),
                                       .with_bwrap = with_bwrap(),
                                       .whole_proc = parts_.proc.get(),
                                       .keep_host_view = !enabled(Layer::kMountNamespace)}));
  parts_.facts.proc = root_.fresh_proc;
  parts_.facts.proc_reason = root_.proc_reason;
  if (with_bwrap() && !root_.fresh_proc)
    return Error(ErrorCode::kUnsupported,
                 "SANDBOX_BACKEND=bwrap needs a /proc of its own: " + root_.proc_reason);
  parts_.facts.landlock_abi = static_cast<std::uint32_t>(os::landlock_abi());
  parts_.facts.max_runs = parts_.setup.max_runs;
  for (const auto& profile : parts_.setup.profiles) {
    Fd filter;
    if (!profile.seccomp.empty()) {
      CMCP_TRY(filter, os::sealed_memfd("cmcp-seccomp",
                                        {reinterpret_cast<const char*>(profile.seccomp.data()),
                                         profile.seccomp.size() * sizeof(sock_filter)}));
    }
    filters_.push_back(std::move(filter));
  }
  CMCP_CHECK_OK(choose_labels());
  CMCP_CHECK_OK(make_network());
  CMCP_CHECK_OK(make_spaces());
  return decide_identity();
}

// Loaded profiles are used, for every profile alike; that there are none is reported.
Status Launcher::choose_labels() {
  labels_.resize(parts_.setup.profiles.size());
  if (with_bwrap()) {
    parts_.facts.apparmor_reason = "with the backend bwrap no label is given";
    return {};
  }
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    CMCP_TRY(const LabelChoice choice,
             choose_label(root_.proc.get(), apparmor_profile_of(parts_.setup.profiles[i].name)));
    labels_[i] = choice.label;
    if (choice.label) {
      const std::string text = choice.label->expected + " (" + choice.label->mode + ")";
      std::string& all = parts_.facts.apparmor;
      if (all.find(text) == std::string::npos) all += (all.empty() ? "" : ", ") + text;
    } else {
      parts_.facts.apparmor_reason = choice.reason;
    }
  }
  return {};
}

Status Launcher::make_spaces() {
  // bubblewrap enters a root by itself.
  if (!enabled(Layer::kMountNamespace) || with_bwrap()) return {};
  std::vector<std::string> templates;
  for (std::size_t i = 0; i < parts_.setup.profiles.size(); ++i)
    templates.push_back(template_path(i));
  return spaces_.make(root_.proc.get(), templates, root_.fresh_proc);
}

Status Launcher::decide_identity() {
  auto& facts = parts_.facts;
  if (facts.identity == IdentityMode::kUnprivileged) {
    shared_ = {kInnerUid,
               kInnerUid};  // the server's uid, as the launcher's user namespace calls it
    return tell_kept_groups();
  }
  facts.server_uid = parts_.setup.server_uid;
  facts.server_gid = parts_.setup.server_gid;
  if (facts.server_uid == 0) {
    return Error(ErrorCode::kInvalidArgument,
                 "started as root without a user to become: create the system user container-mcp "
                 "(useradd --system --no-create-home --shell /usr/sbin/nologin container-mcp)");
  }
  if (parts_.setup.without_idmap) return share_identity("switched off for a test");
  const Status tried = try_idmap();
  if (tried.ok()) return {};
  return share_identity(tried.error().message());
}

// An unprivileged user namespace must deny setgroups before its map is written: what the server's
// user is in, a run is in.
Status Launcher::tell_kept_groups() {
  CMCP_TRY(const auto groups, os::other_groups());
  if (groups.empty()) return {};
  parts_.facts.notes.push_back(
      "the server's user is in " + std::to_string(groups.size()) +
      " supplementary group(s), which only a start by root can take from a run: it may use what "
      "they may use in the workspaces. Start with setpriv --clear-groups, or by root, to be "
      "without them.");
  return {};
}

Result<Owner> Launcher::owner_of(std::size_t workspace) const {
  CMCP_TRY(const struct stat info, os::stat_of(root_.workspaces[workspace].get()));
  return Owner{info.st_uid, info.st_gid};
}

// Tries everything that idmapped runs need, on the real workspaces: file systems differ in it.
Status Launcher::try_idmap() {
  CMCP_TRY(first_slot_uid_,
           choose_slot_uids(parts_.subuid, "container-mcp", parts_.setup.max_runs));
  for (std::size_t i = 0; i < root_.workspaces.size(); ++i) {
    for (const auto& profile : parts_.setup.profiles) {
      const auto tree = clone_workspace(i, profile, 0);
      if (!tree.ok())
        return tree.error().with_context("idmapped mount of " + parts_.setup.roots[i].path.value);
    }
  }
  return {};
}

// Payloads run as the server's own uid; a workspace that somebody else owns decides who that is.
Status Launcher::share_identity(const std::string& reason) {
  auto& facts = parts_.facts;
  facts.identity = IdentityMode::kRootShared;
  facts.identity_reason = reason;
  idmaps_.clear();
  shared_ = {parts_.setup.server_uid, parts_.setup.server_gid};
  std::optional<Owner> owner;
  for (std::size_t i = 0; i < root_.workspaces.size(); ++i) {
    CMCP_TRY(const Owner here, owner_of(i));
    const std::string& path = parts_.setup.roots[i].path.value;
    if (here.uid == 0) {
      return Error(ErrorCode::kPermissionDenied,
                   "idmapped mounts do not work for the workspaces (" + reason + "), and " + path +
                       " belongs to root, as whom nothing is run: give it to another user (chown)");
    }
    if (owner && owner->uid != here.uid) {
      return Error(ErrorCode::kPermissionDenied,
                   "idmapped mounts do not work for the workspaces (" + reason + "), and " + path +
                       " belongs to another user than the first workspace");
    }
    owner = here;
  }
  if (owner) shared_ = *owner;
  facts.server_uid = shared_.uid;
  facts.server_gid = shared_.gid;
  return {};
}

// What the server's file tools work on: with idmapping the owner's files appear as the server's.
Result<Fd> Launcher::workspace_for_server(std::size_t index) {
  if (parts_.facts.identity != IdentityMode::kRootIdmapped)
    return os::duplicate(root_.workspaces[index].get());
  CMCP_TRY(const Owner owner, owner_of(index));
  CMCP_TRY(const Fd space, idmap_namespace(root_.proc.get(), owner,
                                           {parts_.facts.server_uid, parts_.facts.server_gid}));
  CMCP_TRY(Fd tree, os::clone_tree(root_.workspaces[index].get(), "", os::Recursive::kYes));
  CMCP_CHECK_OK(os::set_mount_attributes(
      tree.get(), {.set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, .idmap_userns = space.get()},
      os::Recursive::kYes));
  return tree;
}

Status Launcher::send_ready() {
  std::vector<Fd> trees;
  std::vector<int> fds;
  for (std::size_t i = 0; i < root_.workspaces.size(); ++i) {
    CMCP_TRY(Fd tree, workspace_for_server(i));
    fds.push_back(tree.get());
    trees.push_back(std::move(tree));
  }
  return wire::send(parts_.server.get(), wire::Type::kReady, wire::encode(parts_.facts), fds,
                    os::SendMode::kWait);
}

// ---- the loop ----

Status Launcher::serve() {
  CMCP_CHECK_OK(send_ready());
  make_quota();
  next_watch_ = Clock::now() + kWatchInterval;
  while (!gone_) {
    std::vector<pollfd> polled;
    CMCP_CHECK_OK(wait_for_events(polled));
    // In the order of runs_, two descriptors each, after the server's.
    std::size_t at = 1;
    for (auto next = runs_.begin(); next != runs_.end(); at += 2) {
      Run& run = (next++)->second;
      if ((polled[at].revents & POLLIN) != 0) {
        finish(run);
      } else if (polled[at + 1].revents != 0) {
        read_records(run);
        if (run.emptied && !with_bwrap()) tell(run, 0);
      }
    }
    enforce_deadlines();
    watch_usage();
    watch_quota();
    if (polled[0].revents == 0) continue;
    auto envelope = wire::receive(parts_.server.get());
    if (!envelope.ok()) return envelope.take_error();
    if (!envelope->has_value()) return {};
    handle(std::move(**envelope));
  }
  return {};
}

// The server's socket, and for each run its process and what is said on its control socket.
Status Launcher::wait_for_events(std::vector<pollfd>& polled) const {
  polled = {{parts_.server.get(), POLLIN, 0}};
  for (const auto& [id, run] : runs_) {
    polled.push_back({run.pidfd.get(), POLLIN, 0});
    polled.push_back({run.told || run.silent ? -1 : run.control.get(), POLLIN, 0});
  }
  if (quota_ && quota_->descriptor() >= 0) polled.push_back({quota_->descriptor(), POLLIN, 0});
  if (::poll(polled.data(), polled.size(), poll_timeout()) >= 0) return {};
  if (errno != EINTR) return os::last_error("poll");
  for (auto& entry : polled) entry.revents = 0;
  return {};
}

int Launcher::poll_timeout() const {
  if (runs_.empty()) return -1;
  auto next = next_watch_;
  if (quota_) next = std::min(next, quota_->next_look(true));
  for (const auto& [id, run] : runs_) {
    if (run.reason == wire::KillReason::kNone) next = std::min(next, run.deadline);
  }
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(wait, 0, 60000));
}

void Launcher::handle(wire::Envelope envelope) {
  if (envelope.type == wire::Type::kStart) {
    start(std::move(envelope));
  } else if (envelope.type == wire::Type::kKill) {
    const auto kill = wire::decode_kill(envelope.body);
    if (!kill.ok()) return;
    if (const auto run = runs_.find(kill->run); run != runs_.end())
      kill_run(run->second, wire::KillReason::kCancel);
  }
  // Anything else after the set-up is no message for a launcher; profiles come once.
}

void Launcher::start(wire::Envelope envelope) {
  auto start = wire::decode_start(envelope.body);
  if (!start.ok()) return;
  Run run;
  run.id = start->run;
  run.ended.run = start->run;
  run.ended.times[0] = now_ns();
  if (runs_.count(run.id) != 0) return;
  const Status started = start_run(*start, std::move(envelope.fds), run);
  if (!started.ok()) {
    run.ended.failure = started.error().message();
    send_ended(run.ended);
    return;
  }
  run.ended.times[1] = now_ns();
  busy_[run.slot] = true;
  runs_.emplace(start->run, std::move(run));
  prepare_next(start->profile);
}

// A run's network namespace is the one that the launcher is in when it forks; nobody else is ever
// in it, and it belongs to the launcher's user namespace, in which a sandbox has no say. Making one
// takes as long as all the rest of the set-up.
Status Launcher::make_network() {
  if (network_ready_ || !enabled(Layer::kNetworkNamespace) || with_bwrap()) return {};
  const Status made = os::enter_new_network();
  network_ready_ = made.ok();
  return made;
}

Status Launcher::check(const wire::Start& start, const std::vector<Fd>& payload_fds) const {
  if (start.profile >= parts_.setup.profiles.size()) return invalid("there is no such profile");
  if (start.argv.empty() || start.argv[0].empty() || start.argv[0][0] != '/') {
    return invalid("the program must be an absolute path");
  }
  if (any_nul(start.argv) || any_nul(start.environment) || has_nul(start.working_dir))
    return invalid("an argument holds a NUL byte");
  if (start.working_dir.size() + 32 > kMaxWorkingDir)
    return invalid("the working directory's path is too long");
  if (payload_fds.size() < 3 || payload_fds.size() > wire::kMaxPayloadFds)
    return invalid("3 to 32 descriptors are expected");
  return {};
}

std::optional<std::uint32_t> Launcher::free_slot() const {
  for (std::uint32_t slot = 0; slot < busy_.size(); ++slot) {
    if (!busy_[slot]) return slot;
  }
  return std::nullopt;
}

Owner Launcher::outer_of(std::uint32_t slot) const {
  if (parts_.facts.identity != IdentityMode::kRootIdmapped) return shared_;
  return {first_slot_uid_ + slot, first_slot_uid_ + slot};
}

std::uint64_t Launcher::clone_flags() const {
  constexpr std::array<std::pair<Layer, std::uint64_t>, 5> kFlags{
      {{Layer::kUserNamespace, CLONE_NEWUSER},
       {Layer::kMountNamespace, CLONE_NEWNS},
       {Layer::kPidNamespace, CLONE_NEWPID},
       {Layer::kIpcNamespace, CLONE_NEWIPC},
       {Layer::kUtsNamespace, CLONE_NEWUTS}}};
  // bubblewrap makes the others.
  if (with_bwrap()) return CLONE_NEWNS;
  std::uint64_t flags = 0;
  for (const auto& [layer, flag] : kFlags) {
    if (enabled(layer)) flags |= flag;
  }
  return flags;
}

Result<int> Launcher::idmap_of(std::size_t workspace, std::uint32_t slot) {
  auto& space = idmaps_[{workspace, slot}];
  if (!space) {
    CMCP_TRY(const Owner owner, owner_of(workspace));
    CMCP_TRY(space, idmap_namespace(root_.proc.get(), owner, outer_of(slot)));
  }
  return space.get();
}

Result<Fd> Launcher::clone_workspace(std::size_t index, const Profile& profile,
                                     std::uint32_t slot) {
  CMCP_TRY(Fd tree, os::clone_tree(root_.workspaces[index].get(), "", os::Recursive::kYes));
  os::MountAttributes attributes;
  attributes.set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
  if (!profile.workspace_exec) attributes.set |= MOUNT_ATTR_NOEXEC;
  if (parts_.setup.roots[index].read_only) attributes.set |= MOUNT_ATTR_RDONLY;
  if (parts_.facts.identity == IdentityMode::kRootIdmapped) {
    CMCP_TRY(attributes.idmap_userns, idmap_of(index, slot));
  }
  CMCP_CHECK_OK(os::set_mount_attributes(tree.get(), attributes, os::Recursive::kYes));
  return tree;
}

Result<Launcher::Trees> Launcher::clone_trees(std::size_t profile, std::uint32_t slot) {
  Trees trees;
  if (!enabled(Layer::kMountNamespace)) return trees;
  if (with_bwrap()) {
    CMCP_TRY(trees.root, os::clone_tree(AT_FDCWD, template_path(profile), os::Recursive::kYes));
  }
  if (!enabled(Layer::kPidNamespace)) {
    CMCP_TRY(trees.proc, os::clone_tree(AT_FDCWD, "/proc", os::Recursive::kYes));
  }
  for (std::size_t i = 0; i < root_.workspaces.size(); ++i) {
    CMCP_TRY(Fd tree, clone_workspace(i, parts_.setup.profiles[profile], slot));
    trees.workspaces.push_back(std::move(tree));
  }
  return trees;
}

Result<Launcher::Prepared> Launcher::prepare(std::size_t profile, std::uint32_t slot) {
  Prepared prepared;
  prepared.profile = profile;
  prepared.slot = slot;
  CMCP_TRY(prepared.trees, clone_trees(profile, slot));
  CMCP_TRY(prepared.control, os::seqpacket_pair());
  SandboxPlan plan;
  plan.profile = &parts_.setup.profiles[profile];
  plan.facts = &parts_.facts;
  if (plan.uses_landlock() && !with_bwrap()) {
    CMCP_TRY(prepared.rules, make_rules(plan, prepared.trees, profile));
  }
  return prepared;
}

// Rules name files, not paths: those of the template are every run's, and the workspaces' are named
// by the run's own mounts, since their paths lie where other payloads write.
Result<os::LandlockRuleset> Launcher::make_rules(const SandboxPlan& plan, const Trees& trees,
                                                 std::size_t profile) const {
  CMCP_TRY(os::LandlockRuleset rules,
           os::LandlockRuleset::create(static_cast<int>(parts_.facts.landlock_abi)));
  for (std::size_t i = 0; i < trees.workspaces.size(); ++i)
    CMCP_CHECK_OK(rules.allow(trees.workspaces[i].get(),
                              workspace_access(*plan.profile, parts_.setup.roots[i])));
  CMCP_TRY(const TemplateSpaces::Inside inside, spaces_.enter(profile));
  for (const auto& rule : profile_rules(plan)) {
    if (is_of_run(*plan.profile, rule.path)) continue;
    const auto fd = os::open_at(AT_FDCWD, rule.path, O_PATH);
    // What is not there needs no permission.
    if (!fd.ok() && fd.error().code() == ErrorCode::kNotFound) continue;
    if (!fd.ok()) return fd.error();
    CMCP_CHECK_OK(rules.allow(fd->get(), rule.access));
  }
  return rules;
}

Result<Launcher::Prepared> Launcher::take_prepared(std::size_t profile) {
  std::optional<Prepared> ready = std::exchange(next_, std::nullopt);
  if (ready && ready->profile == profile && !busy_[ready->slot]) return std::move(*ready);
  auto slot = free_slot();
  while (!slot && finish_one_told()) slot = free_slot();
  if (!slot) return Error(ErrorCode::kBusy, "the launcher has no free slot");
  return prepare(profile, *slot);
}

// While the run that has just begun sets itself up. An error is met again when the next one starts.
void Launcher::prepare_next(std::size_t profile) {
  (void)make_network();
  const auto slot = free_slot();
  if (next_ || !slot) return;
  if (auto prepared = prepare(profile, *slot); prepared.ok()) next_ = std::move(*prepared);
}

Status Launcher::start_run(const wire::Start& start, std::vector<Fd> payload_fds, Run& run) {
  CMCP_CHECK_OK(check(start, payload_fds));
  CMCP_TRY(Prepared prepared, take_prepared(start.profile));
  const Profile& profile = parts_.setup.profiles[start.profile];
  run.slot = prepared.slot;
  run.memory = profile.limits.memory.count;
  if (start.memory != 0) run.memory = std::min(run.memory, start.memory);
  run.cpu_seconds = profile.limits.cpu_seconds;
  if (enabled(Layer::kMountNamespace)) {
    for (const auto& tmpfs : profile.root.tmpfs) run.tmpfs.push_back(tmpfs.target.value);
  }
  run.deadline = Clock::now() + std::chrono::milliseconds(start.timeout_ms);

  SandboxPlan plan;
  plan.profile = &profile;
  plan.facts = &parts_.facts;
  plan.workspaces = &parts_.setup.roots;
  plan.writes_own_maps = !is_root();
  plan.drop_groups = is_root();
  plan.outer = outer_of(run.slot);
  plan.memory = {run.memory};
  plan.limit_data = !memory_in_cgroup();
  plan.file_size = profile.limits.file_size;
  if (quota_) {
    std::uint64_t least = 0;  // a tmpfs is no part of the workspace
    for (const auto& tmpfs : profile.root.tmpfs) least = std::max(least, tmpfs.size.count);
    plan.file_size = {quota_->file_size(profile.limits.file_size.count, least)};
    run.ended.quota_caps_files = plan.file_size.count < profile.limits.file_size.count;
  }
  int cgroup = -1;
  if (parts_.cgroups) {
    const bool limit_memory = enabled(Layer::kMemoryLimit);
    const bool limit_processes = enabled(Layer::kProcessLimit);
    constexpr std::uint64_t kNoMemoryLimit = std::uint64_t{1} << 50;
    constexpr std::uint32_t kManyProcesses = 100000;
    CMCP_CHECK_OK(parts_.cgroups->prepare(
        run.slot, {limit_memory ? run.memory : kNoMemoryLimit},
        limit_processes ? profile.limits.processes + (with_bwrap() ? 2 : 1) : kManyProcesses));
    plan.cgroup_joins = parts_.cgroups->join_descriptors(run.slot);
    cgroup = parts_.cgroups->clone_descriptor(run.slot);
  }
  const Trees& trees = prepared.trees;
  os::SocketPair& control = prepared.control;
  if (prepared.rules) plan.rules = &*prepared.rules;
  plan.template_tree = trees.root.get();
  plan.proc_tree = trees.proc.get();
  plan.proc = root_.proc.get();
  for (const auto& tree : trees.workspaces) plan.workspace_trees.push_back(tree.get());
  plan.control = control.second.get();
  plan.seccomp = plan.uses_seccomp() ? filters_[start.profile].get() : -1;
  plan.init = parts_.init.get();
  const auto& label = labels_[start.profile];
  if (label) plan.label = &*label;
  for (const auto& fd : payload_fds) plan.payload_fds.push_back(fd.get());
  plan.argv = start.argv;
  plan.environment = merge_environment(profile.environment, start.environment);

  if (with_bwrap()) CMCP_CHECK_OK(prepare_bwrap(plan, run));

  CMCP_CHECK_OK(make_network());
  network_ready_ = false;  // used up, whatever comes
  CMCP_TRY(os::Child child, clone_child(start.profile, cgroup));
  if (child.pid == 0) {
    control.first.reset();
    if (plan.bwrap) become_bwrap(plan);
    become_sandbox(plan);
  }
  run.pid = child.pid;
  run.pidfd = std::move(child.pidfd);
  run.control = std::move(control.first);
  const Status released = release(plan, start, run.pid, run.control.get());
  if (released.ok()) return {};
  (void)os::signal_pidfd(run.pidfd.get(), SIGKILL);
  ::waitpid(run.pid, nullptr, 0);
  return released;
}

// bubblewrap writes the id maps, makes the namespaces and watches the sandbox.
Status Launcher::prepare_bwrap(SandboxPlan& plan, Run& run) const {
  run.errors = Fd(::memfd_create("cmcp-bwrap-errors", MFD_CLOEXEC));
  if (!run.errors) return os::last_error("memfd_create", "bubblewrap's errors");
  plan.bwrap = BwrapRun{.stage = parts_.stage.get(),
                        .errors = run.errors.get(),
                        .disable_userns = parts_.setup.bwrap_disable_userns};
  plan.writes_own_maps = true;
  return {};
}

Result<os::Child> Launcher::clone_child(std::size_t profile, int cgroup) const {
  CMCP_TRY(TemplateSpaces::Inside inside, spaces_.enter(profile));
  auto child = os::fork_with(clone_flags(), cgroup);
  if (child.ok() && child->pid == 0) inside.stay();
  return child;
}

Status Launcher::release(const SandboxPlan& plan, const wire::Start& start, pid_t pid,
                         int control) const {
  if (!plan.writes_own_maps && plan.has(Layer::kUserNamespace)) {
    const Status mapped = write_id_maps(root_.proc.get(), pid, {kInnerUid, kInnerUid}, plan.outer);
    if (!mapped.ok())
      return mapped.error().with_context(std::string("the sandbox could not be set up: ") +
                                         name_of(kStepIdMaps));
  }
  if (!plan.writes_own_maps || !plan.has(Layer::kUserNamespace)) {
    if (::send(control, "g", 1, MSG_NOSIGNAL) != 1) return os::last_error("send", "go");
  }
  InitConfig config{};
  config.magic = kInitMagic;
  config.payload_fds = static_cast<std::uint32_t>(plan.payload_fds.size());
  config.use_seccomp = plan.uses_seccomp() ? 1 : 0;
  config.use_landlock = plan.uses_landlock() ? 1 : 0;
  if (plan.label != nullptr) {
    plan.label->expected.copy(config.label, kMaxLabel - 1);
  }
  std::string directory = enabled(Layer::kMountNamespace) ? "/workspace" : "/";
  if (!start.working_dir.empty()) directory += "/" + start.working_dir;
  std::memcpy(config.working_dir, directory.c_str(), directory.size() + 1);
  if (::send(control, &config, sizeof(config), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(sizeof(config))) {
    return os::last_error("send", "init's configuration");
  }
  return {};
}

// ---- the end of a run ----

void Launcher::read_records(Run& run) {
  while (true) {
    std::array<char, sizeof(InitRecord) + 512> buffer{};
    const ssize_t n = ::recv(run.control.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    // A child that ends before it has read what it was sent resets the connection; its own last
    // words are still there, behind that one error.
    if (n < 0 && errno == ECONNRESET) continue;
    if (n < static_cast<ssize_t>(sizeof(InitRecord))) {
      run.silent = n >= 0 || errno != EAGAIN;
      return;
    }
    if (take_init_record({buffer.data(), static_cast<std::size_t>(n)}, run.ended, run.heard))
      run.emptied = true;
  }
}

// The run's process may have had a sandbox below it that its death has not ended (yet).
void Launcher::end_orphans_of_runs() {
  if (!with_bwrap()) return;
  const auto ended = end_orphans(root_.proc.get(), [this](pid_t pid) {
    if (quota_ && quota_->is_counter(pid)) return true;
    return std::any_of(runs_.begin(), runs_.end(),
                       [pid](const auto& entry) { return entry.second.pid == pid; });
  });
  if (!ended.ok()) (void)os::write_all(2, "cmcp-launcher: " + ended.error().message() + "\n");
}

// Whose view a sandbox has: bubblewrap itself is outside it.
pid_t Launcher::sandbox_process(const Run& run,
                                const std::vector<os::ProcessSample>& samples) const {
  return with_bwrap() ? child_of(samples, run.pid).value_or(run.pid) : run.pid;
}

// The server waits for the end of the program, not of its namespaces: the kernel takes as long to
// take those apart as a small program runs. When init's last record comes every other process is
// dead and reaped, so that nothing can be written or changed any more, the pipes hold all there
// will be, and init, which has closed its copies of them, only ends. The slot, with its uid and its
// cgroup, is nobody else's until init has gone too.
void Launcher::tell(Run& run, int wait_status) {
  if (std::exchange(run.told, true)) return;
  auto& ended = run.ended;
  ended.reason = run.reason;
  if (!run.heard) {
    ended.kind = wire::Ended::Kind::kKilled;
    ended.wait_status = wait_status;
    explain_bwrap(run.errors, run.reason, ended);
  }
  ended.peak_memory = std::max(ended.peak_memory, run.peak_seen);
  if (parts_.cgroups) {
    const auto counters = parts_.cgroups->counters(run.slot);
    ended.oom_kills = static_cast<std::uint32_t>(counters.oom_kills);
    ended.refused_forks = static_cast<std::uint32_t>(counters.refused_forks);
    ended.peak_memory = std::max(ended.peak_memory, counters.peak_memory);
  }
  ended.times[8] = now_ns();
  send_ended(ended);
}

void Launcher::finish(Run& run) {
  int status = 0;
  ::waitpid(run.pid, &status, 0);
  end_orphans_of_runs();
  if (!run.told) read_records(run);
  tell(run, status);
  const std::uint32_t slot = run.slot;
  runs_.erase(run.id);
  if (parts_.cgroups) parts_.cgroups->recycle(slot);
  busy_[slot] = false;
}

// The server may already begin the next run while a slot waits for the end of the last one's init,
// which is a matter of a millisecond. False when no slot becomes free.
bool Launcher::finish_one_told() {
  std::vector<pollfd> ends;
  for (const auto& [id, run] : runs_) {
    if (run.told) ends.push_back({run.pidfd.get(), POLLIN, 0});
  }
  constexpr int kPatienceMs = 1000;
  if (ends.empty() || ::poll(ends.data(), ends.size(), kPatienceMs) <= 0) return false;
  for (auto& [id, run] : runs_) {
    pollfd end{run.pidfd.get(), POLLIN, 0};
    if (!run.told || ::poll(&end, 1, 0) != 1) continue;
    finish(run);
    return true;
  }
  return false;
}

void Launcher::send_ended(const wire::Ended& ended) {
  const Status sent = wire::send(parts_.server.get(), wire::Type::kEnded, wire::encode(ended), {},
                                 os::SendMode::kWait);
  if (!sent.ok()) gone_ = true;
}

void Launcher::kill_run(Run& run, wire::KillReason reason) {
  // The first reason is the true one. Init's end ends its pid namespace, stopped processes too.
  if (run.reason == wire::KillReason::kNone) run.reason = reason;
  // A killed init reports nothing: what was used is seen now or never. (The watchdog has just
  // looked.)
  if (reason == wire::KillReason::kTime || reason == wire::KillReason::kCancel) note_cpu(run);
  (void)os::signal_pidfd(run.pidfd.get(), SIGKILL);
}

void Launcher::note_cpu(Run& run) {
  if (!root_.fresh_proc) return;
  const auto samples = os::sample_processes(root_.proc.get());
  if (samples.ok()) run.ended.cpu_us = usage_by_sandbox(*samples, {run.pid})[run.pid].cpu_ms * 1000;
}

void Launcher::enforce_deadlines() {
  const auto now = Clock::now();
  for (auto& [id, run] : runs_) {
    if (run.reason == wire::KillReason::kNone && run.deadline <= now)
      kill_run(run, wire::KillReason::kTime);
  }
}

// What the workspaces hold is first counted now, while nobody waits.
void Launcher::make_quota() {
  const QuotaLimit limit = quota_of(parts_.setup.quota_bytes);
  if (!limit.enabled()) return;
  std::vector<int> writable;
  for (std::size_t i = 0; i < root_.workspaces.size(); ++i) {
    if (!parts_.setup.roots[i].read_only) writable.push_back(root_.workspaces[i].get());
  }
  if (writable.empty()) return;
  quota_ = std::make_unique<WorkspaceQuota>(limit, std::move(writable),
                                            root_.fresh_proc ? root_.proc.get() : -1);
  (void)quota_->look({});
}

void Launcher::watch_quota() {
  if (!quota_) return;
  std::vector<pid_t> inits;
  for (const auto& [id, run] : runs_) {
    if (run.reason == wire::KillReason::kNone) inits.push_back(run.pid);
  }
  const auto condemned = quota_->look(inits);
  if (!condemned) return;
  for (auto& [id, run] : runs_) {
    if (run.pid == *condemned) kill_run(run, wire::KillReason::kDisk);
  }
}

// CPU time of all processes together (RLIMIT_CPU counts each alone), and memory where no cgroup
// keeps it.
void Launcher::watch_usage() {
  if (runs_.empty() || Clock::now() < next_watch_) return;
  next_watch_ = Clock::now() + kWatchInterval;
  if (!root_.fresh_proc) return;
  const auto samples = os::sample_processes(root_.proc.get());
  if (!samples.ok()) return;
  std::vector<pid_t> inits;
  for (const auto& [id, run] : runs_) inits.push_back(run.pid);
  auto usage = usage_by_sandbox(*samples, inits);
  for (auto& [id, run] : runs_) {
    const auto& used = usage[run.pid];
    run.ended.cpu_us = used.cpu_ms * 1000;  // until init says it exactly
    if (used.cpu_ms > std::uint64_t{run.cpu_seconds} * 1000 + 500)
      kill_run(run, wire::KillReason::kCpu);
    if (memory_in_cgroup() || !enabled(Layer::kMemoryLimit)) continue;
    run.peak_seen = std::max(run.peak_seen, used.resident_bytes);
    const pid_t inside = sandbox_process(run, *samples);
    const std::uint64_t sockets =
        socket_memory(os::sockets_in_use(root_.proc.get(), inside).value_or(0));
    const std::uint64_t tmpfs = tmpfs_memory(root_.proc.get(), inside, run.tmpfs);
    run.peak_seen = std::max(run.peak_seen, sockets + tmpfs);
    // Shared pages count for each process in the sum: only an exact count condemns.
    if (used.resident_bytes + sockets + tmpfs > run.memory &&
        exact_memory(root_.proc.get(), used, tmpfs) + sockets > run.memory) {
      kill_run(run, wire::KillReason::kMemory);
    }
  }
}

}  // namespace cmcp::sandbox
