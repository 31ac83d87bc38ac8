#include "sandbox/helper/watchdog.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>

#include "os/file.h"

namespace cmcp::sandbox {

std::map<pid_t, SandboxUsage> usage_by_sandbox(const std::vector<os::ProcessSample>& samples,
                                               const std::vector<pid_t>& inits) {
  std::map<pid_t, pid_t> parent_of;
  for (const auto& sample : samples) parent_of[sample.pid] = sample.parent;
  std::map<pid_t, SandboxUsage> usage;
  for (const pid_t init : inits) usage[init];
  const auto ticks_per_second = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  for (const auto& sample : samples) {
    pid_t at = sample.pid;
    // The samples are not taken at one moment: a loop of pids cannot be excluded, so the walk is
    // bounded.
    for (std::size_t depth = 0; depth <= samples.size() && usage.find(at) == usage.end(); ++depth) {
      const auto parent = parent_of.find(at);
      if (parent == parent_of.end()) break;
      at = parent->second;
    }
    const auto found = usage.find(at);
    if (found == usage.end()) continue;
    found->second.cpu_ms += sample.cpu_ticks * 1000 / ticks_per_second;
    found->second.resident_bytes += sample.resident_bytes;
    found->second.processes.push_back(sample.pid);
  }
  return usage;
}

std::uint64_t exact_memory(int proc, const SandboxUsage& usage, std::uint64_t tmpfs) {
  std::uint64_t total = tmpfs;
  std::uint64_t shared = 0;
  for (const pid_t pid : usage.processes) {
    total += os::proportional_size(proc, pid).value_or(0);
    shared += os::proportional_shared_memory(proc, pid).value_or(0);
  }
  return total - std::min(shared, tmpfs);
}

std::uint64_t tmpfs_memory(int proc, pid_t init, const std::vector<std::string>& paths) {
  std::uint64_t total = 0;
  for (const auto& path : paths) {
    const auto directory =
        os::open_at(proc, std::to_string(init) + "/root" + path, O_PATH | O_DIRECTORY | O_NOFOLLOW);
    struct statfs info{};
    if (!directory.ok() || ::fstatfs(directory->get(), &info) != 0) continue;
    if (info.f_type != TMPFS_MAGIC) continue;
    total += (info.f_blocks - info.f_bfree) * static_cast<std::uint64_t>(info.f_bsize);
  }
  return total;
}

std::uint64_t socket_memory(std::uint64_t sockets) {
  constexpr std::uint64_t kFree = 128;
  constexpr std::uint64_t kDefaultBuffer = 212992;  // net.core.wmem_default
  return sockets > kFree ? (sockets - kFree) * kDefaultBuffer : 0;
}

}  // namespace cmcp::sandbox
