#include "sandbox/helper/run_limits.h"

namespace cmcp::sandbox {
namespace {

os::LandlockAccess landlock_access(Access access) {
  switch (access) {
    case Access::kRead:
      return os::LandlockAccess::kRead;
    case Access::kReadExecute:
      return os::LandlockAccess::kReadExecute;
    case Access::kExecuteFile:
      return os::LandlockAccess::kExecuteFile;
    case Access::kReadWrite:
      return os::LandlockAccess::kReadWrite;
    case Access::kReadWriteExecute:
      return os::LandlockAccess::kReadWriteExecute;
  }
  return os::LandlockAccess::kRead;
}

}  // namespace

std::vector<ResourceLimit> resource_limits(const SandboxPlan& plan) {
  const Limits& limits = plan.profile->limits;
  std::vector<ResourceLimit> list = {
      // Not 0: to a core_pattern that is a pipe the kernel hands a core of every limit but 1.
      {RLIMIT_CORE, 1, 1},
      {RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + 1},
      {RLIMIT_FSIZE, plan.file_size.count, plan.file_size.count},
      {RLIMIT_STACK, limits.stack.count, limits.stack.count},
      {RLIMIT_MEMLOCK, 65536, 65536},
      {RLIMIT_MSGQUEUE, 0, 0},
      {RLIMIT_SIGPENDING, 1024, 1024},
  };
  if (plan.has(Layer::kProcessLimit)) {
    // One more for init. In a user namespace of its own the count is this sandbox's alone. Above
    // the cgroup's limit where there is one: a refusal that the cgroup counts can be reported.
    const rlim_t processes = limits.processes + (plan.limit_data ? 1 : 17);
    list.push_back({RLIMIT_NPROC, processes, processes});
  }
  if (plan.limit_data && plan.has(Layer::kMemoryLimit))
    list.push_back({RLIMIT_DATA, plan.memory.count, plan.memory.count});
  // Last: the descriptors above are placed already, and those of a payload are few.
  list.push_back({RLIMIT_NOFILE, limits.open_files, limits.open_files});
  return list;
}

std::vector<PathRule> profile_rules(const SandboxPlan& plan) {
  std::vector<PathRule> rules;
  for (const auto& rule : plan.profile->landlock)
    rules.push_back({rule.path.value, landlock_access(rule.access)});
  // Several roots lie below a directory of the template's, which may be listed.
  rules.push_back({"/workspace", os::LandlockAccess::kRead});
  return rules;
}

bool is_of_run(const Profile& profile, std::string_view path) {
  const auto is_below = [path](std::string_view directory) {
    return path.starts_with(directory) &&
           (path.size() == directory.size() || path[directory.size()] == '/');
  };
  for (const auto& tmpfs : profile.root.tmpfs) {
    if (is_below(tmpfs.target.value)) return true;
  }
  return is_below("/proc");
}

os::LandlockAccess workspace_access(const Profile& profile, const WorkspaceRoot& root) {
  const bool exec = profile.workspace_exec;
  if (root.read_only) return exec ? os::LandlockAccess::kReadExecute : os::LandlockAccess::kRead;
  return exec ? os::LandlockAccess::kReadWriteExecute : os::LandlockAccess::kReadWrite;
}

}  // namespace cmcp::sandbox
