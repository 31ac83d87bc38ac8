#include "sandbox/helper/sandbox_child.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "os/error.h"
#include "os/file.h"
#include "os/landlock.h"
#include "os/mount.h"
#include "os/privileges.h"
#include "sandbox/helper/launcher_root.h"
#include "sandbox/helper/proc_covers.h"
#include "sandbox/helper/run_limits.h"

namespace cmcp::sandbox {
namespace {

constexpr unsigned long kNoSuid = 2;
constexpr unsigned long kNoDev = 4;
constexpr unsigned long kNoExec = 8;
constexpr unsigned long kReadOnly = 1;
constexpr unsigned long kRemount = 32;
constexpr unsigned long kBind = 4096;

std::uint64_t now_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1000000000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

class Child {
 public:
  explicit Child(const SandboxPlan& plan) : plan_(plan) {}

  // The order is the design: what needs privilege comes before it goes, what could be attacked
  // comes after what attacks.
  [[noreturn]] void run() {
    record_.times[0] = now_ns();
    step(kStepLabel, open_label());
    step(kStepIdMaps, have_id_maps());
    step(kStepCgroup, join_cgroups());  // first, so that everything below is charged to the run
    die_first();
    step(kStepIdentity,
         take_identity());  // before mounts: new file systems belong to the payload's uid
    step(kStepHostname, set_hostname());
    record_.times[1] = now_ns();
    if (plan_.has(Layer::kMountNamespace)) {  // then "/" is a copy of the profile's template
      step(kStepTmpfs, mount_tmpfs());
      step(kStepProc,
           mount_proc());  // which the kernel allows because the template has a whole one
      step(kStepWorkspace, attach_workspaces());  // last: no mount point is ever looked up below
                                                  // what a payload can write
    }
    record_.times[2] = now_ns();
    step(kStepDescriptors, place_descriptors_high());
    step(kStepLandlockRules, prepare_landlock());
    argv_ = pointers_to(plan_.argv);
    environment_ = pointers_to(plan_.environment);
    // Of memory, too: from here on nothing is allocated but for a failure's message.
    step(kStepLimits, set_limits());
    step(kStepCapabilities, drop_capabilities());
    step(kStepNoNewPrivs, plan_.has(Layer::kNoNewPrivs) ? os::no_new_privileges() : Status());
    step(kStepLabel, plan_.label != nullptr ? label_.set(*plan_.label) : Status());
    record_.times[3] = now_ns();
    step(kStepDescriptors, place_descriptors());
    report(kRecordSetUp, kStepNone, 0, "");
    exec_init();
  }

 private:
  void step(SetupStep which, const Status& status) {
    if (status.ok()) return;
    report(kRecordFailed, which, status.error().os_errno(), status.error().message());
    ::_exit(125);
  }

  void report(InitRecordKind kind, SetupStep which, int error, const std::string& message) {
    record_.kind = kind;
    record_.step = which;
    record_.error = error;
    std::array<char, sizeof(record_) + 400> bytes{};
    std::memcpy(bytes.data(), &record_, sizeof(record_));
    const std::size_t size = message.copy(bytes.data() + sizeof(record_), 400);
    ::send(control_, bytes.data(), sizeof(record_) + size, MSG_NOSIGNAL);
  }

  static std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (const auto& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers;
  }

  Status open_label() {
    if (plan_.label == nullptr) return {};
    CMCP_TRY(label_, LabelOfNextExec::open(plan_.proc));
    return {};
  }

  Status have_id_maps() {
    if (plan_.writes_own_maps && plan_.has(Layer::kUserNamespace)) {
      return write_own_id_maps(plan_.proc, {kInnerUid, kInnerUid}, plan_.outer);
    }
    // The launcher writes them; its byte says that they are there. (Also where there is no user
    // namespace.)
    char go = 0;
    if (::recv(control_, &go, 1, 0) != 1) return os::last_error("recv", "go");
    return {};
  }

  Status join_cgroups() {
    for (const int fd : plan_.cgroup_joins) {
      if (::write(fd, "0", 1) != 1) return os::last_error("write", "cgroup tasks");
    }
    // After joining, so that the sandbox's view of its cgroup is "/".
    if (plan_.has(Layer::kCgroupNamespace) && ::unshare(CLONE_NEWCGROUP) != 0)
      return os::last_error("unshare", "CLONE_NEWCGROUP");
    return {};
  }

  // The first to be killed when memory is short. Before the identity changes: after it, and until
  // the next exec, the process's own files in /proc belong to root. No boundary; without /proc it
  // is left as it is.
  void die_first() { (void)os::write_existing_at(plan_.proc, "self/oom_score_adj", "500"); }

  Status take_identity() {
    const bool mapped = plan_.has(Layer::kUserNamespace);
    const Owner self = mapped ? Owner{kInnerUid, kInnerUid} : plan_.outer;
    CMCP_CHECK_OK(os::keep_capabilities_over_setuid());
    CMCP_CHECK_OK(
        os::become(self.uid, self.gid, plan_.drop_groups ? os::Groups::kDrop : os::Groups::kKeep));
    return os::raise_permitted();
  }

  Status set_hostname() {
    if (!plan_.has(Layer::kUtsNamespace)) return {};
    const std::string& name = plan_.profile->hostname;
    if (::sethostname(name.c_str(), name.size()) != 0) return os::last_error("sethostname", name);
    return {};
  }

  Status mount_tmpfs() {
    for (const auto& tmpfs : plan_.profile->root.tmpfs) {
      std::array<char, 16> mode{};
      std::to_chars(mode.data(), mode.data() + mode.size() - 1, tmpfs.mode & 07777U, 8);
      std::string options =
          std::string("mode=") + mode.data() + ",size=" + std::to_string(tmpfs.size.count);
      if (tmpfs.max_inodes != 0) options += ",nr_inodes=" + std::to_string(tmpfs.max_inodes);
      const bool exec = tmpfs.exec && plan_.profile->workspace_exec;
      CMCP_CHECK_OK(os::mount_old("tmpfs", tmpfs.target.value, "tmpfs",
                                  kNoSuid | kNoDev | (exec ? 0 : kNoExec), options.c_str()));
    }
    return {};
  }

  Status mount_proc() {
    if (!plan_.profile->root.proc || !plan_.facts->proc) return {};
    if (!plan_.has(Layer::kPidNamespace))
      return os::attach_tree(plan_.proc_tree, AT_FDCWD, "/proc");
    const bool hardened = plan_.has(Layer::kProc);
    // ptraceable: a payload sees the processes that it could trace, so its own and never init.
    CMCP_CHECK_OK(os::mount_old("proc", "/proc", "proc", kNoSuid | kNoDev | kNoExec,
                                hardened ? "hidepid=ptraceable" : nullptr));
    return hardened ? harden_proc() : Status();
  }

  // Files that tell about the host or act on it are covered by the (verified) null device,
  // /proc/sys is made read-only.
  static Status harden_proc() {
    for (const char* path : kCoveredProcFiles) {
      const Status covered = os::mount_old("/dev/null", path, nullptr, kBind);
      if (!covered.ok() && covered.error().code() != ErrorCode::kNotFound) return covered;
    }
    CMCP_CHECK_OK(os::mount_old("/proc/sys", "/proc/sys", nullptr, kBind));
    return os::mount_old(nullptr, "/proc/sys", nullptr,
                         kBind | kRemount | kReadOnly | kNoSuid | kNoDev | kNoExec);
  }

  // A named workspace below another one needs a directory there, and the payloads of other runs may
  // write there: made and entered by descriptor, so that no link leads the mount elsewhere.
  static Status attach_below(int base, int tree, const WorkspaceRoot& root) {
    (void)::mkdirat(base, root.name.c_str(), 0755);  // the next line says if there is none
    const auto place = os::openat2(base, root.name, O_PATH | O_DIRECTORY,
                                   RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
    if (!place.ok())
      return place.error().with_context("the workspace at /workspace needs the directory " +
                                        root.name + " as the place of the workspace of that name");
    return os::attach_tree(tree, place->get(), "");
  }

  Status attach_workspaces() {
    for (std::size_t i = 0; i < plan_.workspace_trees.size(); ++i) {
      const WorkspaceRoot& root = (*plan_.workspaces)[i];
      if (!root.name.empty()) continue;
      CMCP_CHECK_OK(os::attach_tree(plan_.workspace_trees[i], AT_FDCWD, workspace_target(root)));
    }
    CMCP_TRY(const Fd base, os::open_at(AT_FDCWD, "/workspace", O_PATH | O_DIRECTORY));
    for (std::size_t i = 0; i < plan_.workspace_trees.size(); ++i) {
      const WorkspaceRoot& root = (*plan_.workspaces)[i];
      if (root.name.empty()) continue;
      CMCP_CHECK_OK(attach_below(base.get(), plan_.workspace_trees[i], root));
    }
    return {};
  }

  Status set_limits() {
    for (const auto& limit : resource_limits(plan_))
      CMCP_CHECK_OK(os::set_limit(limit.resource, limit.soft, limit.hard));
    // Where no cgroup shares the processors out, the server at least comes first.
    constexpr int kBelowTheServer = 2;
    if (plan_.facts->cpu_share != CpuShare::kPriority) return {};
    // From where the server is: it may have been started with a nice value of its own, which
    // without rights nobody lowers.
    errno = 0;
    if (::nice(kBelowTheServer) == -1 && errno != 0) return os::last_error("nice");
    return {};
  }

  // The bounding set first: without CAP_SETPCAP it could not be dropped any more.
  Status drop_capabilities() {
    if (!plan_.has(Layer::kCapabilities)) return {};
    CMCP_CHECK_OK(os::drop_bounding_set());
    CMCP_CHECK_OK(os::clear_ambient());
    CMCP_CHECK_OK(os::lock_securebits());
    return os::set_capabilities(0, 0, 0);
  }

  static Status add_rule(os::LandlockRuleset& rules, const PathRule& rule) {
    const auto fd = os::open_at(AT_FDCWD, rule.path, O_PATH);
    // What is not there needs no permission.
    if (!fd.ok()) return fd.error().code() == ErrorCode::kNotFound ? Status() : Status(fd.error());
    return rules.allow(fd->get(), rule.access);
  }

  // The launcher has made the rules of what runs share; those of the run's own file systems follow.
  Status prepare_landlock() {
    if (!plan_.uses_landlock()) return {};
    for (const auto& rule : profile_rules(plan_)) {
      if (is_of_run(*plan_.profile, rule.path)) CMCP_CHECK_OK(add_rule(*plan_.rules, rule));
    }
    CMCP_TRY(landlock_, os::duplicate(plan_.rules->descriptor(), kHigh));
    return {};
  }

  // Away from the low numbers that init expects, so that placing one cannot overwrite another.
  Status place_descriptors_high() {
    CMCP_TRY(high_control_, os::duplicate(plan_.control, kHigh));
    CMCP_TRY(high_init_, os::duplicate(plan_.init, kHigh));
    if (plan_.seccomp >= 0) {
      CMCP_TRY(high_seccomp_, os::duplicate(plan_.seccomp, kHigh));
    }
    if (plan_.label != nullptr) {
      CMCP_TRY(high_label_, os::duplicate(label_.current(), kHigh));
    }
    for (const int fd : plan_.payload_fds) {
      CMCP_TRY(Fd copy, os::duplicate(fd, kHigh));
      high_payload_.push_back(std::move(copy));
    }
    control_ = high_control_.get();
    return {};
  }

  static Status place(const Fd& from, int to) {
    if (!from) return {};
    if (::dup2(from.get(), to) != to) return os::last_error("dup2", std::to_string(to));
    return {};
  }

  Status place_descriptors() {
    CMCP_CHECK_OK(place(high_control_, kControlFd));
    CMCP_CHECK_OK(place(high_seccomp_, kSeccompFd));
    CMCP_CHECK_OK(place(landlock_, kLandlockFd));
    CMCP_CHECK_OK(place(high_label_, kLabelFd));
    int next = kFirstPayloadFd;
    for (const auto& fd : high_payload_) CMCP_CHECK_OK(place(fd, next++));
    for (const int fd : {0, 1, 2}) ::close(fd);
    // All others close when init is executed.
    if (::syscall(SYS_close_range, next, ~0U, 4U /* CLOSE_RANGE_CLOEXEC */) != 0)
      return os::last_error("close_range");
    return {};
  }

  [[noreturn]] void exec_init() {
    ::syscall(SYS_execveat, high_init_.get(), "", argv_.data(), environment_.data(), AT_EMPTY_PATH);
    step(kStepExecInit, os::last_error("execveat", "cmcp-init"));
    ::_exit(125);
  }

  static constexpr int kHigh = 100;
  const SandboxPlan& plan_;
  InitRecord record_{};
  std::vector<char*> argv_;
  std::vector<char*> environment_;
  int control_ = plan_.control;
  Fd high_control_;
  Fd high_init_;
  Fd high_seccomp_;
  Fd landlock_;
  Fd high_label_;
  LabelOfNextExec label_;
  std::vector<Fd> high_payload_;
};

}  // namespace

void become_sandbox(const SandboxPlan& plan) {
  ::umask(022);
  Child(plan).run();
}

const char* name_of(SetupStep step) {
  switch (step) {
    case kStepNone:
    case kStepCount:
      break;
    case kStepIdMaps:
      return "writing the id maps";
    case kStepCgroup:
      return "joining the cgroup";
    case kStepIdentity:
      return "taking the sandbox's identity";
    case kStepHostname:
      return "setting the host name";
    case kStepRoot:
      return "entering the root";
    case kStepTmpfs:
      return "mounting a tmpfs";
    case kStepProc:
      return "mounting /proc";
    case kStepWorkspace:
      return "attaching the workspace";
    case kStepLimits:
      return "setting the limits";
    case kStepCapabilities:
      return "dropping the capabilities";
    case kStepNoNewPrivs:
      return "setting no_new_privs";
    case kStepLandlockRules:
      return "preparing the Landlock rules";
    case kStepDescriptors:
      return "placing the descriptors";
    case kStepExecInit:
      return "executing init";
    case kStepInitConfig:
      return "reading init's configuration";
    case kStepFork:
      return "starting the process";
    case kStepSession:
      return "making a session";
    case kStepLandlockRestrict:
      return "entering the Landlock domain";
    case kStepPayloadFds:
      return "placing the program's descriptors";
    case kStepCloseRange:
      return "closing descriptors";
    case kStepLabel:
      return "ordering the AppArmor label";
    case kStepLabelTaken:
      return "checking the AppArmor label, which is not the one that was ordered";
    case kStepSeccomp:
      return "loading the seccomp filter";
    case kStepBubblewrap:
      return "executing bubblewrap";
  }
  return "an unknown step";
}

}  // namespace cmcp::sandbox
