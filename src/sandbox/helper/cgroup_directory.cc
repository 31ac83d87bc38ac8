#include "sandbox/helper/cgroup_directory.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "base/strings.h"
#include "os/error.h"
#include "os/file.h"

namespace cmcp::sandbox {
namespace {

constexpr std::string_view kPrefix = "container-mcp-";
constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
constexpr timespec kPause{0, 5 * 1000 * 1000};
constexpr int kPatience = 400;  // pauses

// The processes of a cgroup that is removed are dead or dying: those that are not through yet make
// it busy.
bool remove_directory(int parent, const std::string& name) {
  for (int tries = 0; tries < kPatience; ++tries) {
    if (::unlinkat(parent, name.c_str(), AT_REMOVEDIR) == 0 || errno != EBUSY) return true;
    ::nanosleep(&kPause, nullptr);
  }
  return false;
}

bool lock(const Fd& directory) {
  return ::flock(directory.get(), LOCK_EX | LOCK_NB) == 0;
}

// Somebody may have removed it between its making and its lock.
bool is_still(int parent, const std::string& name, const Fd& directory) {
  struct stat by_name{};
  struct stat by_fd{};
  return ::fstatat(parent, name.c_str(), &by_name, AT_SYMLINK_NOFOLLOW) == 0 &&
         ::fstat(directory.get(), &by_fd) == 0 && by_name.st_ino == by_fd.st_ino;
}

// Of a name in this pid namespace; what lives in another one looks gone, too.
bool looks_gone(const std::string& name) {
  const std::string_view number = std::string_view(name).substr(kPrefix.size());
  const auto pid = parse_int(number.substr(0, number.find('-')));
  return pid && *pid > 0 && ::kill(static_cast<pid_t>(*pid), 0) != 0 && errno == ESRCH;
}

bool is_abandoned(const Fd& directory, Dying dying) {
  const int tries = dying == Dying::kWaitFor ? kPatience : 1;
  for (int i = 0; i < tries; ++i) {
    if (i > 0) ::nanosleep(&kPause, nullptr);
    if (lock(directory)) return true;
  }
  return false;
}

}  // namespace

Result<CgroupDirectory> make_cgroup_directory(int parent) {
  constexpr int kTries = 64;
  const std::string first = std::string(kPrefix) + std::to_string(::getpid());
  for (int i = 0; i < kTries; ++i) {
    CgroupDirectory made{i == 0 ? first : first + "-" + std::to_string(i), {}};
    if (::mkdirat(parent, made.name.c_str(), 0755) != 0 && errno != EEXIST)
      return os::last_error("mkdir", made.name);
    auto opened = os::open_at(parent, made.name, kDirectory);
    if (!opened.ok()) continue;
    made.fd = std::move(*opened);
    if (lock(made.fd) && is_still(parent, made.name, made.fd)) return made;
  }
  return Error(ErrorCode::kBusy, "every name for a cgroup is taken: " + first);
}

void remove_abandoned_directories(int parent, Dying dying) {
  const auto names = os::list_directory(parent);
  if (!names.ok()) return;
  for (const auto& name : *names) {
    if (name.rfind(kPrefix, 0) != 0 || !looks_gone(name)) continue;
    const auto directory = os::open_at(parent, name, kDirectory);
    if (directory.ok() && is_abandoned(*directory, dying)) remove_cgroup_directory(parent, name);
  }
}

void remove_cgroup_directory(int parent, const std::string& name) {
  const auto directory = os::open_at(parent, name, kDirectory);
  if (directory.ok()) {
    if (const auto names = os::list_directory(directory->get()); names.ok()) {
      for (const auto& child : *names) {
        if (child.rfind("slot-", 0) == 0 && !remove_directory(directory->get(), child)) return;
      }
    }
  }
  (void)remove_directory(parent, name);
}

}  // namespace cmcp::sandbox
