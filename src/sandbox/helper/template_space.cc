#include "sandbox/helper/template_space.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "os/error.h"
#include "os/file.h"
#include "os/mount.h"
#include "os/process.h"

namespace cmcp::sandbox {
namespace {

constexpr int kDetach = 2;                      // MNT_DETACH
constexpr unsigned long kHardened = 2 | 4 | 8;  // MS_NOSUID | MS_NODEV | MS_NOEXEC

Result<Fd> present_space(int proc) {
  return os::open_at(proc, "self/ns/mnt", O_RDONLY);
}

// By a child that is the first and last process of a pid namespace of its own.
Status mount_proc_of_nobody(const std::string& target) {
  CMCP_TRY(const os::Child child, os::fork_with(CLONE_NEWPID));
  if (child.pid == 0) {
    const Status mounted = os::mount_old("proc", target, "proc", kHardened);
    ::_exit(mounted.ok() ? 0 : mounted.error().os_errno());
  }
  int status = 0;
  while (::waitpid(child.pid, &status, 0) < 0) {
    if (errno != EINTR) return os::last_error("waitpid");
  }
  if (status == 0) return {};
  errno = WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
  return os::last_error("mount", target);
}

Result<Fd> make_space(int proc, int home, const std::string& root, bool fresh_proc) {
  CMCP_CHECK_OK(os::new_mount_space());
  const TemplateSpaces::Inside inside(home);
  // While the launcher's own /proc is still here, without which a user namespace may mount none.
  if (fresh_proc) CMCP_CHECK_OK(mount_proc_of_nobody(root + "/proc"));
  CMCP_CHECK_OK(os::stack_pivot(root));
  CMCP_CHECK_OK(os::detach_old_root());
  return present_space(proc);
}

}  // namespace

TemplateSpaces::Inside::~Inside() {
  if (home_ < 0 || os::enter_mount_space(home_).ok()) return;
  (void)os::write_all(2, "cmcp-launcher: it cannot return to its mount namespace\n");
  ::_exit(1);
}

Status TemplateSpaces::make(int proc, const std::vector<std::string>& templates, bool fresh_proc) {
  CMCP_TRY(home_, present_space(proc));
  for (const auto& root : templates) {
    CMCP_TRY(Fd space, make_space(proc, home_.get(), root, fresh_proc));
    spaces_.push_back(std::move(space));
  }
  for (const auto& root : templates) CMCP_CHECK_OK(os::unmount(root, kDetach));
  return {};
}

Result<TemplateSpaces::Inside> TemplateSpaces::enter(std::size_t profile) const {
  if (spaces_.empty()) return Inside(-1);
  CMCP_CHECK_OK(os::enter_mount_space(spaces_[profile].get()));
  return Inside(home_.get());
}

}  // namespace cmcp::sandbox
