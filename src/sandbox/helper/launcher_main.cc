// cmcp-launcher SOCKET INIT SERVER_PID: started by the server with a clean environment and nothing
// open but SOCKET and INIT (a descriptor of cmcp-init). Receives the set-up, enters its namespaces,
// and serves; see launcher.h.
//
// Three processes: the supervisor (supervisor.h), below it the launcher, which makes the cgroups
// and waits, and below that pid 1 of the namespace, which serves. Each is told of its parent's
// death; pid 1 takes every sandbox with it.
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>

#include "base/strings.h"
#include "os/error.h"
#include "os/file.h"
#include "os/memfd.h"
#include "os/privileges.h"
#include "os/process.h"
#include "sandbox/helper/launcher.h"
#include "sandbox/helper/supervisor.h"

namespace cmcp::sandbox {
namespace {

constexpr std::size_t kMaxInitSize = 64 * 1024;
constexpr std::size_t kMaxStageSize = 4 * 1024 * 1024;

// Signals as a new program expects them, whatever the server ignores or blocks.
void reset_signals() {
  for (int signal = 1; signal < 65; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// Only the two descriptors that the server meant to give may be here.
Status close_everything_but(int socket, int init) {
  const int low = std::min(socket, init);
  const int high = std::max(socket, init);
  if (low + 1 < high && ::syscall(SYS_close_range, low + 1, high - 1, 0) != 0)
    return os::last_error("close_range");
  if (::syscall(SYS_close_range, high + 1, ~0U, 0) != 0) return os::last_error("close_range");
  return {};
}

// `fds` are those that came with it.
Result<wire::Setup> receive_setup(int socket, std::vector<Fd>& fds) {
  CMCP_TRY(auto envelope, wire::receive(socket));
  if (!envelope.has_value() || envelope->type != wire::Type::kSetup) {
    return Error(ErrorCode::kProtocol, "the first message is not a set-up");
  }
  CMCP_TRY(wire::Setup setup, wire::decode_setup(envelope->body));
#ifndef CMCP_TEST_SWITCHES
  if (setup.disabled_layers != 0 || setup.without_cgroup || setup.without_idmap ||
      setup.deny_user_namespaces) {
    return Error(ErrorCode::kInvalidArgument, "test switches are not part of this build");
  }
#endif
  fds = std::move(envelope->fds);
  if (setup.max_runs == 0 || setup.max_runs > 4096)
    return Error(ErrorCode::kInvalidArgument, "max_runs must be 1 to 4096");
  return setup;
}

// What the backend needs, see Setup::backend; invalid where it needs nothing.
Result<Fd> take_extra(const wire::Setup& setup, std::vector<Fd> fds) {
  const bool bwrap = setup.backend == Backend::kBwrap;
  const bool firejail = setup.backend == Backend::kFirejail && ::geteuid() != 0;
  if (fds.size() != (bwrap || firejail ? 1U : 0U))
    return Error(ErrorCode::kProtocol, "the set-up came without the descriptors that it needs");
  if (firejail) return std::move(fds[0]);
  if (!bwrap) return Fd();
  CMCP_TRY(const std::string stage, os::read_all(fds[0].get(), kMaxStageSize));
  return os::sealed_memfd("cmcp-stage", stage, os::MemfdUse::kProgram);
}

Status make_cgroups(LauncherParts& parts, pid_t server) {
  if (parts.setup.without_cgroup) {
    parts.facts.limiter_reason = "switched off for a test";
    return {};
  }
  auto pool = CgroupPool::create(parts.setup.max_runs, server);
  if (pool.ok()) {
    parts.facts.limiter = pool->limiter();
    parts.facts.cpu_share = pool->cpu_share();
    parts.cgroups = std::move(*pool);
  } else {
    parts.facts.limiter_reason = pool.error().message();
  }
  return {};
}

// Own namespaces. As an ordinary user also a user namespace, in which the one uid there is becomes
// 1000.
Status enter_namespaces(LauncherParts& parts) {
  CMCP_TRY(parts.facts.before, os::own_confinement());
  if (parts.setup.deny_user_namespaces) {
    return Error(ErrorCode::kPermissionDenied, "write /proc/self/uid_map: Permission denied",
                 EACCES);
  }
  const bool root = ::geteuid() == 0 && os::has_capability(CAP_SYS_ADMIN);
  if (root) {
    parts.facts.identity = IdentityMode::kRootIdmapped;
    if (::unshare(CLONE_NEWNS | CLONE_NEWPID) != 0)
      return os::last_error("unshare", "mount and pid namespace");
    return {};
  }
  if (::geteuid() == 0) {
    // Root of a container without CAP_SYS_ADMIN: nothing may run as the host's uid 0, so we are the
    // server's user.
    if (parts.setup.server_uid == 0)
      return Error(ErrorCode::kInvalidArgument,
                   "started as root without CAP_SYS_ADMIN and without a user to become");
    CMCP_CHECK_OK(os::become(parts.setup.server_uid, parts.setup.server_gid, os::Groups::kDrop));
    ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);  // else our own /proc files stay root's
    CMCP_CHECK_OK(os::set_parent_death_signal(SIGTERM));
  }
  parts.facts.identity = IdentityMode::kUnprivileged;
  const Owner outer{::geteuid(), ::getegid()};
  parts.facts.server_uid = outer.uid;
  parts.facts.server_gid = outer.gid;
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID) != 0) {
    return os::last_error("unshare", "user, mount and pid namespace")
        .with_context(
            "user namespaces are not available to this user (look at user.max_user_namespaces, "
            "kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns)");
  }
  CMCP_TRY(const Fd proc, os::open_at(AT_FDCWD, "/proc", O_PATH | O_DIRECTORY));
  return write_own_id_maps(proc.get(), {kInnerUid, kInnerUid}, outer);
}

int refuse(int socket, const Error& error) {
  (void)wire::send(socket, wire::Type::kRefused, error.message(), {}, os::SendMode::kWait);
  return kLauncherRefused;
}

int run_pid_1(LauncherParts parts, int waiting_parent) {
  if (!os::set_parent_death_signal(SIGKILL).ok()) return kLauncherFailed;
  // Has the parent gone before that? Its end of the pipe tells.
  char byte = 0;
  if (::read(waiting_parent, &byte, 1) != 1) return kLauncherFailed;
  const int socket = parts.server.get();
  Launcher launcher(std::move(parts));
  if (const Status ready = launcher.set_up(); !ready.ok()) return refuse(socket, ready.error());
  const Status served = launcher.serve();
  // A server that ends without reading our last messages resets the connection: its end all the
  // same.
  const int gone = served.ok() ? 0 : served.error().os_errno();
  if (served.ok() || gone == ECONNRESET || gone == EPIPE) return kLauncherEnded;
  (void)os::write_all(2, "cmcp-launcher: " + served.error().message() + "\n");
  return kLauncherFailed;
}

volatile sig_atomic_t asked_to_end = 0;
pid_t pid_1 = -1;
void on_terminate(int) {
  asked_to_end = 1;
  if (pid_1 > 0) ::kill(pid_1, SIGKILL);
}

void end_on_terminate() {
  struct sigaction action{};
  action.sa_handler = on_terminate;
  ::sigaction(SIGTERM, &action, nullptr);
}

// The supervisor keeps its own for the next launcher.
Status copy_programs(const Fd& init, const Fd& extra, LauncherParts& parts) {
  CMCP_TRY(parts.init, os::duplicate(init.get()));
  if (!extra) return {};
  // The /proc can be shown once; a second launcher within Firejail is refused, and the server then
  // starts all anew.
  Fd& part = parts.setup.backend == Backend::kBwrap ? parts.stage : parts.proc;
  CMCP_TRY(part, os::duplicate(extra.get()));
  return {};
}

// Everything but the namespaces and their pid 1, which this process then waits for.
int launch(LauncherParts parts, pid_t server) {
  // From the first cgroup on, an end must remove it.
  end_on_terminate();
  const Status cgroups = make_cgroups(parts, server);
  Status entered = cgroups.ok() ? enter_namespaces(parts) : cgroups;
  // A change of identity may have cleared it.
  if (entered.ok()) entered = os::set_parent_death_signal(SIGTERM);
  // Held for its end: see run_pid_1.
  auto alive = os::make_pipe();
  if (!entered.ok() || !alive.ok()) {
    if (parts.cgroups) parts.cgroups->remove_all();
    return refuse(parts.server.get(), entered.ok() ? alive.error() : entered.error());
  }
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGTERM, SIG_DFL);
    alive->write_end.reset();
    ::_exit(run_pid_1(std::move(parts), alive->read_end.get()));
  }
  pid_1 = child;
  if (child < 0 || asked_to_end != 0 || ::write(alive->write_end.get(), "", 1) != 1) {
    if (child > 0) ::kill(child, SIGKILL);
  }
  // The socket stays with pid 1 alone: its end must be seen by the server.
  parts.server.reset();
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (parts.cgroups) parts.cgroups->remove_all();
  if (asked_to_end != 0) return kLauncherEnded;
  return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : kLauncherFailed;
}

Status run(int socket_number, int init_number, pid_t server) {
  reset_signals();
  CMCP_CHECK_OK(os::set_parent_death_signal(SIGTERM));
  // 0: another program stands between; the socket's end tells of the server's.
  if (server != 0 && ::getppid() != server)
    return Error(ErrorCode::kUnavailable, "the server has gone already");
  // A terminal's Ctrl-C is for the server, which ends its runs in order.
  if (::setpgid(0, 0) != 0) return os::last_error("setpgid");
  CMCP_CHECK_OK(close_everything_but(socket_number, init_number));
  if (::fcntl(socket_number, F_SETFD, FD_CLOEXEC) != 0)
    return os::last_error("fcntl", "FD_CLOEXEC");
  Fd init_file(init_number);
  CMCP_TRY(const std::string init, os::read_all(init_file.get(), kMaxInitSize));
  init_file.reset();
  CMCP_TRY(const Fd program, os::sealed_memfd("cmcp-init", init, os::MemfdUse::kProgram));
  std::vector<Fd> fds;
  CMCP_TRY(const wire::Setup setup, receive_setup(socket_number, fds));
  CMCP_TRY(const Fd extra, take_extra(setup, std::move(fds)));
  std::string subuid;
  if (auto text = os::read_file("/etc/subuid", 1024 * 1024); text.ok()) subuid = std::move(*text);
  const auto launch_one = [&](Fd socket) {
    LauncherParts parts;
    parts.server = std::move(socket);
    parts.setup = setup;
    parts.facts.disabled_layers = setup.disabled_layers;
    parts.subuid = subuid;
    const Status copied = copy_programs(program, extra, parts);
    if (!copied.ok()) return refuse(parts.server.get(), copied.error());
    return launch(std::move(parts), server);
  };
  return supervise(
      {.server = socket_number, .launch = launch_one, .clean_up = CgroupPool::remove_abandoned});
}

}  // namespace
}  // namespace cmcp::sandbox

int main(int argc, char** argv) {
  using namespace cmcp;
  if (argc != 4) {
    (void)os::write_all(2, "cmcp-launcher is started by container-mcp, not by hand\n");
    return 2;
  }
  const auto socket = parse_int(argv[1]);
  const auto init = parse_int(argv[2]);
  const auto server = parse_int(argv[3]);
  if (!socket || !init || !server || *socket < 3 || *init < 3) return 2;
  const auto done =
      sandbox::run(static_cast<int>(*socket), static_cast<int>(*init), static_cast<pid_t>(*server));
  if (!done.ok()) {
    (void)sandbox::wire::send(static_cast<int>(*socket), sandbox::wire::Type::kRefused,
                              done.error().message(), {}, os::SendMode::kDontWait);
    return 1;
  }
  return 0;
}
