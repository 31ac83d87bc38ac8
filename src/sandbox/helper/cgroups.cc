#include "sandbox/helper/cgroups.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <string_view>

#include "base/strings.h"
#include "os/error.h"
#include "os/file.h"
#include "os/proc.h"
#include "sandbox/helper/cgroup_directory.h"

namespace cmcp::sandbox {
namespace {

constexpr std::string_view kLeaf = "/container-mcp";
constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;

std::string slot_name(std::uint32_t index) {
  return "slot-" + std::to_string(index);
}

// The number after `key` at the beginning of a line of `text` ("" = the first number of the text);
// 0 when absent.
std::uint64_t value_of(std::string_view text, std::string_view key) {
  for (const auto& line : split(text, '\n')) {
    if (!key.empty() &&
        (line.rfind(key, 0) != 0 || line.size() <= key.size() || line[key.size()] != ' '))
      continue;
    const std::size_t begin = key.empty() ? 0 : key.size() + 1;
    std::uint64_t value = 0;
    std::from_chars(line.data() + begin, line.data() + line.size(), value);
    return value;
  }
  return 0;
}

std::uint64_t read_value(const Fd& file, std::string_view key) {
  if (!file) return 0;
  std::array<char, 1024> buffer{};
  const ssize_t n = ::pread(file.get(), buffer.data(), buffer.size(), 0);
  return n > 0 ? value_of({buffer.data(), static_cast<std::size_t>(n)}, key) : 0;
}

Result<std::string> own_path(std::string_view controller) {
  CMCP_TRY(const std::string cgroup, os::read_file("/proc/self/cgroup", 64 * 1024));
  CMCP_TRY(const std::string mounts, os::read_file("/proc/self/mountinfo", 4 * 1024 * 1024));
  const auto path = os::own_cgroup(controller, cgroup, mounts);
  if (!path)
    return Error(
        ErrorCode::kNotFound,
        "no cgroup hierarchy for " + std::string(controller.empty() ? "version 2" : controller));
  // With version 2 we may be in the leaf already, see create_v2.
  if (controller.empty() && path->ends_with(kLeaf))
    return path->substr(0, path->size() - kLeaf.size());
  return *path;
}

}  // namespace

void CgroupPool::remove_abandoned() {
  for (const char* controller : {"", "memory", "pids", "cpu"}) {
    const auto path = own_path(controller);
    if (!path.ok()) continue;
    if (const auto parent = os::open_at(AT_FDCWD, *path, kDirectory); parent.ok())
      remove_abandoned_directories(parent->get(), Dying::kWaitFor);
  }
}

Result<CgroupPool> CgroupPool::create(std::uint32_t slots, pid_t server) {
  auto second = create_v2(slots, server);
  if (second.ok()) return second;
  auto first = create_v1(slots);
  if (first.ok()) return first;
  return Error(ErrorCode::kUnavailable, "cgroup v2: " + second.error().message() +
                                            "; cgroup v1: " + first.error().message());
}

Result<CgroupPool::Controller> CgroupPool::make_parent(const char* controller) {
  CMCP_TRY(const std::string path, own_path(controller));
  Controller entry;
  CMCP_TRY(entry.parent, os::open_at(AT_FDCWD, path, kDirectory));
  remove_abandoned_directories(entry.parent.get(), Dying::kLeave);
  CMCP_CHECK_OK(make_directory(entry, path));
  return entry;
}

Status CgroupPool::make_directory(Controller& entry, const std::string& path) {
  auto made = make_cgroup_directory(entry.parent.get());
  if (!made.ok()) return made.error().with_context(path);
  entry.name = std::move(made->name);
  entry.directory = std::move(made->fd);
  return {};
}

// All runs together weigh as much as a process for each processor, and each of them the same.
void CgroupPool::add_cpu_v1() {
  auto made = make_parent("cpu");
  if (!made.ok()) return;
  constexpr long kOneProcess = 1024;
  const long weight = kOneProcess * std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN));
  if (os::write_existing_at(made->directory.get(), "cpu.shares", std::to_string(weight)).ok()) {
    cpu_ = std::move(*made);
    cpu_share_ = CpuShare::kCgroupV1;
  } else {
    made->directory.reset();
    remove_cgroup_directory(made->parent.get(), made->name);
  }
}

Status CgroupPool::join_cpu_v1(Slot& slot, const std::string& name) const {
  if (!cpu_) return {};
  if (::mkdirat(cpu_->directory.get(), name.c_str(), 0755) != 0 && errno != EEXIST)
    return os::last_error("mkdir", name);
  CMCP_TRY(slot.cpu_join, os::open_at(cpu_->directory.get(), name + "/tasks", O_WRONLY));
  return {};
}

Result<CgroupPool> CgroupPool::create_v1(std::uint32_t slots) {
  CgroupPool pool;
  pool.limiter_ = Limiter::kCgroupV1;
  pool.slots_.resize(slots);
  for (const char* controller : {"memory", "pids"}) {
    auto made = make_parent(controller);
    if (!made.ok()) {
      pool.remove_all();
      return made.take_error();
    }
    pool.controllers_.push_back(std::move(*made));
  }
  pool.add_cpu_v1();
  if (auto made = pool.make_slot(0); !made.ok()) {
    pool.remove_all();
    return made.take_error();
  }
  return pool;
}

Result<CgroupPool> CgroupPool::create_v2(std::uint32_t slots, pid_t server) {
  CgroupPool pool;
  pool.limiter_ = Limiter::kCgroupV2;
  pool.slots_.resize(slots);
  CMCP_TRY(const std::string path, own_path(""));
  Controller entry;
  CMCP_TRY(entry.parent, os::open_at(AT_FDCWD, path, kDirectory));
  CMCP_TRY(const std::string available,
           os::read_file_at(entry.parent.get(), "cgroup.controllers", 4096));
  const auto controllers = split(strip(available), ' ');
  bool memory = false;
  bool pids = false;
  bool cpu = false;
  for (const auto& name : controllers) {
    memory = memory || name == "memory";
    pids = pids || name == "pids";
    cpu = cpu || name == "cpu";
  }
  if (!memory || !pids)
    return Error(ErrorCode::kUnavailable,
                 "the controllers memory and pids are not delegated to " + path);
  remove_abandoned_directories(entry.parent.get(), Dying::kLeave);
  // A cgroup with processes in it cannot give controllers to children: server and launcher move
  // into a leaf. That works when nobody else is in our cgroup, which is what delegation means.
  if (!os::write_existing_at(entry.parent.get(), "cgroup.subtree_control", "+memory +pids").ok()) {
    if (::mkdirat(entry.parent.get(), "container-mcp", 0755) != 0 && errno != EEXIST)
      return os::last_error("mkdir", path + "/container-mcp");
    for (const pid_t pid : {server, ::getppid(), ::getpid()}) {
      CMCP_CHECK_OK(os::write_existing_at(entry.parent.get(), "container-mcp/cgroup.procs",
                                          std::to_string(pid)));
    }
    CMCP_CHECK_OK(
        os::write_existing_at(entry.parent.get(), "cgroup.subtree_control", "+memory +pids"));
  }
  CMCP_CHECK_OK(make_directory(entry, path));
  pool.controllers_.push_back(std::move(entry));
  Status made = os::write_existing_at(pool.controllers_[0].directory.get(),
                                      "cgroup.subtree_control", "+memory +pids");
  // Every child of a cgroup with this controller has the same weight as its siblings.
  if (made.ok() && cpu &&
      os::write_existing_at(pool.controllers_[0].parent.get(), "cgroup.subtree_control", "+cpu")
          .ok() &&
      os::write_existing_at(pool.controllers_[0].directory.get(), "cgroup.subtree_control", "+cpu")
          .ok()) {
    pool.cpu_share_ = CpuShare::kCgroupV2;
  }
  if (made.ok()) made = pool.make_slot(0);
  if (!made.ok()) {
    pool.remove_all();
    return made.take_error();
  }
  return pool;
}

Status CgroupPool::make_slot(std::uint32_t index) {
  Slot& slot = slots_[index];
  const std::string name = slot_name(index);
  for (const auto& controller : controllers_) {
    if (::mkdirat(controller.directory.get(), name.c_str(), 0755) != 0 && errno != EEXIST)
      return os::last_error("mkdir", name);
  }
  CMCP_TRY(slot.memory, os::open_at(controllers_.front().directory.get(), name, kDirectory));
  CMCP_TRY(slot.pids, os::open_at(pids_controller().directory.get(), name, kDirectory));
  const bool v1 = limiter_ == Limiter::kCgroupV1;
  if (v1) {
    CMCP_TRY(slot.memory_join, os::open_at(slot.memory.get(), "tasks", O_WRONLY));
    CMCP_TRY(slot.pids_join, os::open_at(slot.pids.get(), "tasks", O_WRONLY));
    CMCP_CHECK_OK(join_cpu_v1(slot, name));
  }
  CMCP_TRY(slot.oom_file,
           os::open_at(slot.memory.get(), v1 ? "memory.oom_control" : "memory.events", O_RDONLY));
  CMCP_TRY(slot.pids_file, os::open_at(slot.pids.get(), "pids.events", O_RDONLY));
  auto peak =
      os::open_at(slot.memory.get(), v1 ? "memory.max_usage_in_bytes" : "memory.peak", O_RDWR);
  if (!peak.ok())
    peak =
        os::open_at(slot.memory.get(), v1 ? "memory.max_usage_in_bytes" : "memory.peak", O_RDONLY);
  if (peak.ok()) slot.peak_file = std::move(*peak);
  if (!v1) (void)os::write_existing_at(slot.memory.get(), "memory.swap.max", "0");
  slot.made = true;
  reset_counters(index);
  return {};
}

Status CgroupPool::set_memory(Slot& slot, std::uint64_t bytes) {
  if (slot.limit == bytes) return {};
  const std::string value = std::to_string(bytes);
  if (limiter_ == Limiter::kCgroupV2) {
    CMCP_CHECK_OK(os::write_existing_at(slot.memory.get(), "memory.max", value));
  } else {
    // memory+swap may never be below memory: out of the way first, then as low as memory (no swap
    // at all).
    (void)os::write_existing_at(slot.memory.get(), "memory.memsw.limit_in_bytes", "-1");
    CMCP_CHECK_OK(os::write_existing_at(slot.memory.get(), "memory.limit_in_bytes", value));
    (void)os::write_existing_at(slot.memory.get(), "memory.memsw.limit_in_bytes", value);
  }
  slot.limit = bytes;
  return {};
}

Status CgroupPool::prepare(std::uint32_t index, Bytes memory, std::uint32_t processes) {
  Slot& slot = slots_[index];
  if (!slot.made) CMCP_CHECK_OK(make_slot(index));
  CMCP_CHECK_OK(set_memory(slot, memory.count));
  if (slot.processes != processes) {
    CMCP_CHECK_OK(os::write_existing_at(slot.pids.get(), "pids.max", std::to_string(processes)));
    slot.processes = processes;
  }
  return {};
}

// Not when a run begins, which would wait for it.
void CgroupPool::reset_counters(std::uint32_t index) {
  Slot& slot = slots_[index];
  // A peak that cannot be reset would be an earlier run's: then none is reported.
  if (slot.peak_file && ::pwrite(slot.peak_file.get(), "0", 1, 0) < 0) slot.peak_file.reset();
  slot.base = {};
  slot.base = counters(index);
}

CgroupPool::Counters CgroupPool::counters(std::uint32_t index) const {
  const Slot& slot = slots_[index];
  Counters now;
  now.oom_kills = read_value(slot.oom_file, "oom_kill") - slot.base.oom_kills;
  now.refused_forks = read_value(slot.pids_file, "max") - slot.base.refused_forks;
  now.peak_memory = read_value(slot.peak_file, "");
  return now;
}

std::vector<int> CgroupPool::join_descriptors(std::uint32_t index) const {
  const Slot& slot = slots_[index];
  if (limiter_ == Limiter::kCgroupV2) return {};
  std::vector<int> joins{slot.memory_join.get(), slot.pids_join.get()};
  if (slot.cpu_join) joins.push_back(slot.cpu_join.get());
  return joins;
}

int CgroupPool::clone_descriptor(std::uint32_t index) const {
  return limiter_ == Limiter::kCgroupV2 ? slots_[index].memory.get() : -1;
}

void CgroupPool::recycle(std::uint32_t index) {
  const Slot& slot = slots_[index];
  if (limiter_ != Limiter::kCgroupV1) return reset_counters(index);
  constexpr std::uint64_t kWorthIt = 8 * 1024 * 1024;
  const auto usage = os::read_file_at(slot.memory.get(), "memory.usage_in_bytes", 64);
  if (usage.ok() && value_of(*usage, "") > kWorthIt) {
    (void)os::write_existing_at(slot.memory.get(), "memory.force_empty", "0");
  }
  reset_counters(index);
}

void CgroupPool::remove_all() {
  slots_.clear();
  for (auto& controller : controllers_) {
    controller.directory.reset();
    remove_cgroup_directory(controller.parent.get(), controller.name);
  }
  controllers_.clear();
  if (cpu_) {
    cpu_->directory.reset();
    remove_cgroup_directory(cpu_->parent.get(), cpu_->name);
    cpu_.reset();
  }
}

}  // namespace cmcp::sandbox
