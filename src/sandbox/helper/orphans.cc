#include "sandbox/helper/orphans.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace cmcp::sandbox {
namespace {

// A program that forks as fast as it is killed is limited in number: each pass ends whole
// generations, and this many passes have always been enough.
constexpr int kMaxPasses = 10000;

std::vector<pid_t> orphans_in(const std::vector<os::ProcessSample>& samples,
                              const std::function<bool(pid_t)>& is_run) {
  std::vector<pid_t> orphans;
  for (const auto& sample : samples) {
    if (sample.parent == ::getpid() && !is_run(sample.pid)) orphans.push_back(sample.pid);
  }
  return orphans;
}

}  // namespace

Result<unsigned> end_orphans(int proc, const std::function<bool(pid_t)>& is_run) {
  unsigned ended = 0;
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    CMCP_TRY(const auto samples, os::sample_processes(proc));
    const auto orphans = orphans_in(samples, is_run);
    if (orphans.empty()) return ended;
    for (const pid_t pid : orphans) ::kill(pid, SIGKILL);
    for (const pid_t pid : orphans) {
      while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
      }
      ++ended;
    }
  }
  return Error(ErrorCode::kTimeout,
               "processes of a run do not end: they are killed as fast as "
               "they multiply");
}

std::optional<pid_t> child_of(const std::vector<os::ProcessSample>& samples, pid_t parent) {
  for (const auto& sample : samples) {
    if (sample.parent == parent) return sample.pid;
  }
  return std::nullopt;
}

}  // namespace cmcp::sandbox
