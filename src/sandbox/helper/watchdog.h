// What the processes of each sandbox use together, seen from outside: for limits that the kernel
// does not keep for us.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/proc.h"

namespace cmcp::sandbox {

struct SandboxUsage {
  std::uint64_t cpu_ms = 0;
  std::uint64_t resident_bytes =
      0;  // pages shared by processes of the sandbox count for each of them
  std::vector<pid_t> processes;
};

// Sums `samples` by the sandbox whose init is an ancestor (or the process itself). Pure.
std::map<pid_t, SandboxUsage> usage_by_sandbox(const std::vector<os::ProcessSample>& samples,
                                               const std::vector<pid_t>& inits);
// The exact memory of a sandbox whose resident sum looks too large: proportional set sizes, and
// `tmpfs` bytes of files in memory, of which what is mapped counts once.
std::uint64_t exact_memory(int proc, const SandboxUsage& usage, std::uint64_t tmpfs);
// What the files of the tmpfs at `paths` take in the sandbox whose pid 1 is `init`; a path that is
// no tmpfs counts nothing.
std::uint64_t tmpfs_memory(int proc, pid_t init, const std::vector<std::string>& paths);

// The most that the buffers of so many sockets can hold: kernel memory that no process owns. The
// seccomp filter keeps each at the kernel's default size. A few sockets, as every event loop has
// them, are free.
std::uint64_t socket_memory(std::uint64_t sockets);

}  // namespace cmcp::sandbox
