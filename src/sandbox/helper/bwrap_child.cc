#include "sandbox/helper/bwrap_child.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "os/error.h"
#include "os/file.h"
#include "os/landlock.h"
#include "os/memfd.h"
#include "os/mount.h"
#include "os/privileges.h"
#include "sandbox/helper/bwrap_arguments.h"
#include "sandbox/helper/launcher_root.h"
#include "sandbox/helper/proc_covers.h"
#include "sandbox/helper/run_limits.h"
#include "sandbox/helper/stage_abi.h"

namespace cmcp::sandbox {
namespace {

constexpr unsigned long kNoSuid = 2;
constexpr unsigned long kNoDev = 4;
constexpr unsigned long kNoExec = 8;

Status make_directory(const std::string& path) {
  if (::mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) return os::last_error("mkdir", path);
  return {};
}

std::uint64_t now_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1000000000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

// One directory or file of the host, read-only at the same place here.
Status bring(int host, const std::string& path) {
  auto source = os::openat2(host, path, O_PATH | O_NOFOLLOW, RESOLVE_IN_ROOT);
  if (!source.ok()) {
    return source.error().code() == ErrorCode::kNotFound ? Status() : Status(source.error());
  }
  CMCP_TRY(const struct stat info, os::stat_of(source->get()));
  if (S_ISLNK(info.st_mode)) {
    std::array<char, 256> target{};
    const ssize_t size = ::readlinkat(source->get(), "", target.data(), target.size() - 1);
    if (size <= 0) return os::last_error("readlink", path);
    if (::symlink(target.data(), path.c_str()) != 0) return os::last_error("symlink", path);
    return {};
  }
  CMCP_TRY(const Fd tree, os::clone_tree(source->get(), "", os::Recursive::kYes));
  CMCP_CHECK_OK(os::set_mount_attributes(
      tree.get(), {.set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV},
      os::Recursive::kYes));
  if (S_ISDIR(info.st_mode)) {
    CMCP_CHECK_OK(make_directory(path));
  } else {
    CMCP_TRY(const Fd file, os::open_at(AT_FDCWD, path, O_WRONLY | O_CREAT, 0444));
  }
  return os::attach_tree(tree.get(), AT_FDCWD, path);
}

class BwrapChild {
 public:
  explicit BwrapChild(const SandboxPlan& plan) : plan_(plan) {}

  [[noreturn]] void run() {
    const std::uint64_t began = now_ns();
    step(kStepCgroup, join_cgroups());
    step(kStepRoot, os::attach_tree(plan_.template_tree, AT_FDCWD, kAttachPoint));
    step(kStepTmpfs, prepare_sources());
    step(kStepWorkspace, attach_workspaces());
    step(kStepLandlockRules, make_orders(began));
    step(kStepDescriptors, make_arguments());
    step(kStepIdentity, take_identity());
    step(kStepDescriptors, place_descriptors());
    execute();
  }

 private:
  void step(SetupStep which, const Status& status) {
    if (status.ok()) return;
    InitRecord record{};
    record.kind = kRecordFailed;
    record.step = which;
    record.error = status.error().os_errno();
    std::string bytes(reinterpret_cast<const char*>(&record), sizeof(record));
    bytes += status.error().message().substr(0, 400);
    ::send(control_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    ::_exit(125);
  }

  Status join_cgroups() {
    for (const int fd : plan_.cgroup_joins) {
      if (::write(fd, "0", 1) != 1) return os::last_error("write", "cgroup tasks");
    }
    return {};
  }

  // bubblewrap's own tmpfs has no limit of files and no noexec, so it binds ours.
  Status mount_tmpfs(const TmpfsMount& tmpfs, const std::string& at) {
    const std::string owner =
        ",uid=" + std::to_string(plan_.outer.uid) + ",gid=" + std::to_string(plan_.outer.gid);
    const bool sticky = (tmpfs.mode & 07777U) == 01777U;
    std::string options = std::string("mode=") + (sticky ? "1777" : "0755") +
                          ",size=" + std::to_string(tmpfs.size.count) + owner;
    if (tmpfs.max_inodes != 0) options += ",nr_inodes=" + std::to_string(tmpfs.max_inodes);
    const bool exec = tmpfs.exec && plan_.profile->workspace_exec;
    return os::mount_old("tmpfs", at, "tmpfs", kNoSuid | kNoDev | (exec ? 0 : kNoExec),
                         options.c_str());
  }

  Status prepare_sources() {
    CMCP_CHECK_OK(os::mount_old("tmpfs", kBwrapSources, "tmpfs", kNoSuid | kNoDev,
                                "mode=0755,size=64k,nr_inodes=256"));
    const auto& list = plan_.profile->root.tmpfs;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string at = std::string(kBwrapSources) + "/t" + std::to_string(i);
      CMCP_CHECK_OK(make_directory(at));
      CMCP_CHECK_OK(mount_tmpfs(list[i], at));
      binds_.emplace_back(at, list[i].target.value);
    }
    return {};
  }

  Status attach_workspaces() {
    for (std::size_t i = 0; i < plan_.workspace_trees.size(); ++i) {
      const std::string at = std::string(kBwrapSources) + "/w" + std::to_string(i);
      CMCP_CHECK_OK(make_directory(at));
      CMCP_CHECK_OK(os::attach_tree(plan_.workspace_trees[i], AT_FDCWD, at));
      binds_.emplace_back(at, workspace_target((*plan_.workspaces)[i]));
    }
    return {};
  }

  Status add_rule(std::vector<StageRule>& rules, const PathRule& from, int abi) {
    if (from.path.size() >= kMaxStagePath || rules.size() >= kMaxStageRules)
      return Error(ErrorCode::kLimitExceeded, "a rule for " + from.path.substr(0, 100) +
                                                  ": its path is too long, or there are too many");
    StageRule rule{};
    rule.rights = os::landlock_rights(from.access, abi);
    std::memcpy(rule.path, from.path.c_str(), from.path.size() + 1);
    rules.push_back(rule);
    return {};
  }

  Result<std::vector<StageRule>> stage_rules() {
    std::vector<StageRule> rules;
    if (!plan_.uses_landlock()) return rules;
    const int abi = static_cast<int>(plan_.facts->landlock_abi);
    CMCP_TRY(os::LandlockRuleset ruleset, os::LandlockRuleset::create(abi));
    landlock_ = ruleset.take();
    for (const auto& rule : profile_rules(plan_)) CMCP_CHECK_OK(add_rule(rules, rule, abi));
    // By path here: with this backend no workspace lies below another one.
    for (const auto& root : *plan_.workspaces) {
      CMCP_CHECK_OK(
          add_rule(rules, {workspace_target(root), workspace_access(*plan_.profile, root)}, abi));
    }
    return rules;
  }

  Status make_orders(std::uint64_t began) {
    CMCP_TRY(const std::vector<StageRule> rules, stage_rules());
    std::vector<StageLimit> limits;
    for (const auto& limit : resource_limits(plan_))
      limits.push_back({static_cast<std::uint32_t>(limit.resource), 0, limit.soft, limit.hard});
    const StageHeader header{kStageMagic,
                             static_cast<std::uint32_t>(limits.size()),
                             static_cast<std::uint32_t>(rules.size()),
                             0,
                             os::landlock_file_rights(),
                             began};
    std::string bytes(reinterpret_cast<const char*>(&header), sizeof(header));
    bytes.append(reinterpret_cast<const char*>(limits.data()), limits.size() * sizeof(StageLimit));
    bytes.append(reinterpret_cast<const char*>(rules.data()), rules.size() * sizeof(StageRule));
    CMCP_TRY(orders_, os::sealed_memfd("cmcp-orders", bytes));
    return {};
  }

  Status make_arguments() {
    BwrapView view;
    view.root = kAttachPoint;
    view.binds = binds_;
    for (const char* path : kCoveredProcFiles) {
      if (::access(path, F_OK) == 0) view.covered.emplace_back(path);
    }
    view.environment = plan_.environment;
    view.hostname = plan_.profile->hostname;
    view.disable_userns = plan_.bwrap->disable_userns;
    CMCP_TRY(arguments_, os::sealed_memfd("cmcp-bwrap-args", nul_separated(bwrap_arguments(view))));
    return {};
  }

  // bubblewrap starts as the payload's user and without a capability: it makes its own user
  // namespace, as any user's does.
  Status take_identity() {
    CMCP_CHECK_OK(os::become(plan_.outer.uid, plan_.outer.gid,
                             plan_.drop_groups ? os::Groups::kDrop : os::Groups::kKeep));
    CMCP_CHECK_OK(os::clear_ambient());
    CMCP_CHECK_OK(os::set_capabilities(0, 0, 0));
    return os::no_new_privileges();
  }

  // The numbers that init and stage expect; see cmcp_stage.cc. All first go high, so that placing
  // one cannot overwrite another.
  Status place_descriptors() {
    CMCP_TRY(const Fd null, os::open_at(AT_FDCWD, std::string(kAttachPoint) + "/dev/null", O_RDWR));
    std::vector<std::pair<int, int>> places = {
        {null.get(), 0}, {null.get(), 1}, {plan_.bwrap->errors, 2}, {plan_.control, kControlFd}};
    if (plan_.seccomp >= 0) places.emplace_back(plan_.seccomp, kSeccompFd);
    if (landlock_) places.emplace_back(landlock_.get(), kLandlockFd);
    int next = kFirstPayloadFd;
    for (const int fd : plan_.payload_fds) places.emplace_back(fd, next++);
    stage_number_ = next;
    for (const int fd : {plan_.bwrap->stage, orders_.get(), plan_.init, arguments_.get()})
      places.emplace_back(fd, next++);
    std::vector<Fd> high;
    for (auto& [from, to] : places) {
      CMCP_TRY(Fd copy, os::duplicate(from, kHigh));
      from = copy.get();
      high.push_back(std::move(copy));
    }
    control_ = high[3].get();
    for (const int unused : {kSeccompFd, kLandlockFd, kLabelFd}) ::close(static_cast<int>(unused));
    for (const auto& [from, to] : places) {
      if (::dup2(from, to) != to) return os::last_error("dup2", std::to_string(to));
    }
    control_ = kControlFd;
    if (::syscall(SYS_close_range, next, ~0U, 4U /* CLOSE_RANGE_CLOEXEC */) != 0)
      return os::last_error("close_range");
    for (Fd& fd : high) (void)fd.release();
    return {};
  }

  [[noreturn]] void execute() {
    std::vector<std::string> words = {"bwrap", "--args", std::to_string(stage_number_ + 3), "--",
                                      "/proc/self/fd/" + std::to_string(stage_number_)};
    words.insert(words.end(), plan_.argv.begin(), plan_.argv.end());
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    std::array<char*, 1> environment{nullptr};
    ::execve(kBwrapProgram, argv.data(), environment.data());
    step(kStepBubblewrap, os::last_error("execve", kBwrapProgram));
    ::_exit(125);
  }

  static constexpr int kHigh = 100;
  const SandboxPlan& plan_;
  int control_ = plan_.control;
  int stage_number_ = 0;
  std::vector<std::pair<std::string, std::string>> binds_;
  Fd landlock_;
  Fd orders_;
  Fd arguments_;
};

}  // namespace

Status bring_bwrap(int host) {
  CMCP_CHECK_OK(make_directory(kBwrapSources));
  // bubblewrap mounts its new root on /tmp.
  CMCP_CHECK_OK(make_directory("/tmp"));
  CMCP_CHECK_OK(make_directory("/etc"));
  for (const char* path : {"/usr", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache"}) {
    const Status brought = bring(host, path);
    if (!brought.ok()) return brought.error().with_context("what bubblewrap needs");
  }
  return {};
}

void become_bwrap(const SandboxPlan& plan) {
  ::umask(022);
  BwrapChild(plan).run();
}

}  // namespace cmcp::sandbox
