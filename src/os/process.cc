#include "os/process.h"

#include <linux/sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "os/error.h"

namespace cmcp::os {

Result<Child> fork_with(std::uint64_t flags, int cgroup) {
  int pidfd = -1;
  clone_args args{};
  args.flags = flags | CLONE_PIDFD | CLONE_CLEAR_SIGHAND;
  args.pidfd = reinterpret_cast<std::uint64_t>(&pidfd);
  args.exit_signal = SIGCHLD;
  if (cgroup >= 0) {
    args.flags |= CLONE_INTO_CGROUP;
    args.cgroup = static_cast<std::uint64_t>(cgroup);
  }
  const long pid = ::syscall(SYS_clone3, &args, sizeof(args));
  if (pid < 0) return last_error("clone3");
  Child child;
  child.pid = static_cast<pid_t>(pid);
  if (pid > 0) child.pidfd = Fd(pidfd);
  return child;
}

Result<Fd> open_pidfd(pid_t pid) {
  const long fd = ::syscall(SYS_pidfd_open, pid, 0);
  if (fd < 0) return last_error("pidfd_open", std::to_string(pid));
  return Fd(static_cast<int>(fd));
}

Status signal_pidfd(int pidfd, int signal) {
  if (::syscall(SYS_pidfd_send_signal, pidfd, signal, nullptr, 0) != 0 && errno != ESRCH) {
    return last_error("pidfd_send_signal");
  }
  return {};
}

}  // namespace cmcp::os
