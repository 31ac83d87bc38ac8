// What /proc tells about processes and cgroups.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cmcp::os {

struct ProcessSample {
  pid_t pid = 0;
  pid_t parent = 0;
  std::uint64_t cpu_ticks = 0;  // own and of waited-for children, user and system
  std::uint64_t resident_bytes = 0;
};

// Parses one line of /proc/PID/stat; nothing when it has not the expected shape. The program's name
// may hold anything.
std::optional<ProcessSample> parse_stat(std::string_view line);
// All processes that the procfs at `proc` (a descriptor of its root) shows. Those that end
// meanwhile are left out.
Result<std::vector<ProcessSample>> sample_processes(int proc);
// Proportional set size in bytes from smaps_rollup: exact, but slow; nothing when it cannot be
// read.
std::optional<std::uint64_t> proportional_size(int proc, pid_t pid);

// What of it is shared memory (files of a tmpfs, anonymous mappings that are shared), bytes.
std::optional<std::uint64_t> proportional_shared_memory(int proc, pid_t pid);

// Sockets of all kinds in the network namespace of `pid`; nothing when it cannot be read.
std::optional<std::uint64_t> sockets_in_use(int proc, pid_t pid);

// Where a controller of cgroup v1 ("memory", "pids"), or v2 for "", is for the calling process: an
// absolute path of its own cgroup; nothing when it is not mounted. Pure: takes /proc/self/cgroup
// and /proc/self/mountinfo.
std::optional<std::string> own_cgroup(std::string_view controller, std::string_view cgroup,
                                      std::string_view mountinfo);

}  // namespace cmcp::os
