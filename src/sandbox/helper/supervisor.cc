#include "sandbox/helper/supervisor.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <deque>

#include "os/error.h"
#include "os/fd_passing.h"
#include "os/privileges.h"
#include "os/process.h"
#include "sandbox/helper/wire.h"

namespace cmcp::sandbox {
namespace {

using Clock = std::chrono::steady_clock;

// A launcher that is killed now and then is started again; one that dies at once each time is not.
constexpr std::size_t kMaxDeaths = 5;
constexpr std::chrono::seconds kDeathsWithin{60};

volatile sig_atomic_t asked_to_end = 0;
void on_terminate(int) {
  asked_to_end = 1;
}

// SIGTERM arrives only within ppoll: none is lost between a look at the flag and the wait.
class TerminateOnlyInPoll {
 public:
  TerminateOnlyInPoll() {
    struct sigaction action{};
    action.sa_handler = on_terminate;
    ::sigaction(SIGTERM, &action, nullptr);
    sigset_t blocked;
    ::sigemptyset(&blocked);
    ::sigaddset(&blocked, SIGTERM);
    ::sigprocmask(SIG_BLOCK, &blocked, &in_poll_);
  }
  const sigset_t& in_poll() const { return in_poll_; }
  // In a child: as if it had never been.
  void undo() const {
    ::signal(SIGTERM, SIG_DFL);
    ::sigprocmask(SIG_SETMASK, &in_poll_, nullptr);
  }

 private:
  sigset_t in_poll_{};
};

struct Launched {
  pid_t pid = -1;
  Fd pidfd;
};

Result<Launched> start_launcher(const SupervisorOptions& options,
                                const TerminateOnlyInPoll& signals) {
  CMCP_TRY(os::SocketPair sockets, os::seqpacket_pair());
  const pid_t self = ::getpid();
  CMCP_TRY(os::Child child, os::fork_with(0));
  if (child.pid == 0) {
    signals.undo();
    ::close(options.server);
    sockets.first.reset();
    if (!os::set_parent_death_signal(SIGTERM).ok() || ::getppid() != self) ::_exit(kLauncherFailed);
    ::_exit(options.launch(std::move(sockets.second)));
  }
  const Status sent = wire::send(options.server, wire::Type::kLauncher, "", {sockets.first.get()},
                                 os::SendMode::kWait);
  // A server that has gone is noticed by the wait that follows.
  if (!sent.ok()) asked_to_end = 1;
  return Launched{child.pid, std::move(child.pidfd)};
}

// Waits for the launcher's end, and asks for it when the server has gone. Returns its wait status.
int wait_for_end(const SupervisorOptions& options, const Launched& launcher,
                 const TerminateOnlyInPoll& signals) {
  std::array<pollfd, 2> polled{{{launcher.pidfd.get(), POLLIN, 0}, {options.server, POLLIN, 0}}};
  bool told = false;
  while (true) {
    if (asked_to_end != 0 && !told) {
      (void)os::signal_pidfd(launcher.pidfd.get(), SIGTERM);
      told = true;
    }
    const nfds_t count = told ? 1 : 2;
    if (::ppoll(polled.data(), count, nullptr, &signals.in_poll()) < 0) continue;
    if ((polled[0].revents & POLLIN) != 0) break;
    // Profiles come once: the server has nothing more to say, so this is its end.
    if (!told && polled[1].revents != 0) asked_to_end = 1;
  }
  int status = 0;
  while (::waitpid(launcher.pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

class DeathCount {
 public:
  // False when there were too many of late.
  bool add() {
    const auto now = Clock::now();
    deaths_.push_back(now);
    while (!deaths_.empty() && now - deaths_.front() > kDeathsWithin) deaths_.pop_front();
    return deaths_.size() <= kMaxDeaths;
  }

 private:
  std::deque<Clock::time_point> deaths_;
};

}  // namespace

Status supervise(const SupervisorOptions& options) {
  const TerminateOnlyInPoll signals;
  DeathCount deaths;
  for (bool again = false; asked_to_end == 0; again = true) {
    CMCP_TRY(const Launched launcher, start_launcher(options, signals));
    // While the next one sets itself up already: it need not wait for the dead.
    if (again) options.clean_up();
    const int status = wait_for_end(options, launcher, signals);
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : kLauncherFailed;
    if (asked_to_end != 0 || code == kLauncherEnded || code == kLauncherRefused) break;
    if (!deaths.add()) {
      options.clean_up();
      return Error(ErrorCode::kUnavailable,
                   "the sandbox launcher died " + std::to_string(kMaxDeaths + 1) +
                       " times within a minute and is not started again; look for what kills it "
                       "(the kernel's log names the out-of-memory killer)");
    }
  }
  options.clean_up();
  return {};
}

}  // namespace cmcp::sandbox
