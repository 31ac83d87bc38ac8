// Processes by pidfd.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "base/fd.h"
#include "base/result.h"

namespace cmcp::os {

struct Child {
  pid_t pid = -1;
  Fd pidfd;
};

// clone3(2) as fork with `flags` (CLONE_NEW*), a pidfd, and signal handlers reset in the child;
// with `cgroup` >= 0 also CLONE_INTO_CGROUP. Returns twice: pid 0 in the child. Only for a process
// with one thread.
Result<Child> fork_with(std::uint64_t flags, int cgroup = -1);
Result<Fd> open_pidfd(pid_t pid);
// A process that is gone already is no error.
Status signal_pidfd(int pidfd, int signal);

}  // namespace cmcp::os
