#include <errno.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>

#include "base/strings.h"
#include "sandbox/level.h"

namespace cmcp::sandbox {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return std::string(strip(line));
}

template <typename T>
std::optional<T> number_in(const std::string& path) {
  const auto value = parse_int(first_line(path));
  if (!value) return std::nullopt;
  return static_cast<T>(*value);
}

// A container runtime covers parts of /proc with mounts; the kernel then refuses a fresh /proc in a
// user namespace.
bool has_mount_below_proc() {
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    const auto fields = split(line, ' ');
    if (fields.size() > 4 && fields[4].starts_with("/proc/") &&
        fields[4] != "/proc/sys/fs/binfmt_misc")
      return true;
  }
  return false;
}

bool is_container() {
  for (const char* mark : {"/.dockerenv", "/run/.containerenv", "/run/systemd/container"}) {
    if (access(mark, F_OK) == 0) return true;
  }
  return false;
}

}  // namespace

HostFacts read_host_facts() {
  HostFacts facts;
  utsname name{};
  if (uname(&name) == 0) facts.kernel = name.release;
  facts.apparmor_restricts_userns =
      number_in<int>("/proc/sys/kernel/apparmor_restrict_unprivileged_userns");
  facts.unprivileged_userns_clone = number_in<int>("/proc/sys/kernel/unprivileged_userns_clone");
  facts.max_user_namespaces = number_in<long long>("/proc/sys/user/max_user_namespaces");
  facts.apparmor_label = first_line("/proc/self/attr/apparmor/current");
  const long abi = syscall(444 /* landlock_create_ruleset */, nullptr, 0,
                           1U /* LANDLOCK_CREATE_RULESET_VERSION */);
  facts.landlock_abi = abi > 0 ? static_cast<int>(abi) : 0;
  const unsigned action = SECCOMP_RET_KILL_PROCESS;
  facts.seccomp_filter = syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
  facts.proc_is_masked = has_mount_below_proc();
  facts.in_container = is_container();
  facts.uid = getuid();
  return facts;
}

}  // namespace cmcp::sandbox
