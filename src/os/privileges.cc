#include "os/privileges.h"

#include <grp.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "os/error.h"

namespace cmcp::os {
namespace {

struct CapabilitySets {
  std::array<__user_cap_data_struct, 2> data{};
};

__user_cap_header_struct cap_header() {
  return {_LINUX_CAPABILITY_VERSION_3, 0};
}

Result<CapabilitySets> read_capabilities() {
  CapabilitySets sets;
  auto header = cap_header();
  if (::syscall(SYS_capget, &header, sets.data.data()) != 0) return last_error("capget");
  return sets;
}

Status write_capabilities(const CapabilitySets& sets) {
  auto header = cap_header();
  if (::syscall(SYS_capset, &header, sets.data.data()) != 0) return last_error("capset");
  return {};
}

Status control(const char* what, int option, unsigned long a, unsigned long b = 0) {
  if (::prctl(option, a, b, 0UL, 0UL) != 0) return last_error("prctl", what);
  return {};
}

}  // namespace

Status become(uid_t uid, gid_t gid, Groups groups) {
  if (groups == Groups::kDrop && ::setgroups(0, nullptr) != 0) return last_error("setgroups");
  if (::setresgid(gid, gid, gid) != 0) return last_error("setresgid", std::to_string(gid));
  if (::setresuid(uid, uid, uid) != 0) return last_error("setresuid", std::to_string(uid));
  return {};
}

Result<std::vector<gid_t>> other_groups() {
  const int count = ::getgroups(0, nullptr);
  if (count < 0) return last_error("getgroups");
  std::vector<gid_t> groups(static_cast<std::size_t>(count));
  const int read = ::getgroups(count, groups.data());
  if (read < 0) return last_error("getgroups");
  groups.resize(static_cast<std::size_t>(read));
  std::erase(groups, ::getegid());
  return groups;
}

bool has_capability(int capability) {
  const auto sets = read_capabilities();
  if (!sets.ok()) return false;
  const auto index = static_cast<std::size_t>(capability / 32);
  return (sets->data[index].effective >> (capability % 32) & 1U) != 0;
}

Status set_capabilities(std::uint64_t effective, std::uint64_t permitted,
                        std::uint64_t inheritable) {
  CapabilitySets sets;
  for (std::size_t i = 0; i < 2; ++i) {
    const auto shift = i * 32;
    sets.data[i].effective = static_cast<std::uint32_t>(effective >> shift);
    sets.data[i].permitted = static_cast<std::uint32_t>(permitted >> shift);
    sets.data[i].inheritable = static_cast<std::uint32_t>(inheritable >> shift);
  }
  return write_capabilities(sets);
}

Status raise_permitted() {
  CMCP_TRY(CapabilitySets sets, read_capabilities());
  for (auto& half : sets.data) half.effective = half.permitted;
  return write_capabilities(sets);
}

Status drop_bounding_set() {
  for (unsigned long capability = 0; capability < 64; ++capability) {
    if (::prctl(PR_CAPBSET_DROP, capability, 0UL, 0UL, 0UL) == 0) continue;
    if (errno == EINVAL && capability > 0) return {};  // above the last one that this kernel knows
    return last_error("prctl", "PR_CAPBSET_DROP " + std::to_string(capability));
  }
  return {};
}

Status clear_ambient() {
  return control("PR_CAP_AMBIENT_CLEAR_ALL", PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL);
}

Status lock_securebits() {
  return control("PR_SET_SECUREBITS", PR_SET_SECUREBITS,
                 SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
                     SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
                     SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED);
}

Status keep_capabilities_over_setuid() {
  return control("PR_SET_KEEPCAPS", PR_SET_KEEPCAPS, 1);
}
Status no_new_privileges() {
  return control("PR_SET_NO_NEW_PRIVS", PR_SET_NO_NEW_PRIVS, 1);
}
Status set_parent_death_signal(int signal) {
  return control("PR_SET_PDEATHSIG", PR_SET_PDEATHSIG, static_cast<unsigned long>(signal));
}
Status set_not_dumpable() {
  return control("PR_SET_DUMPABLE", PR_SET_DUMPABLE, 0);
}

Status set_limit(int resource, rlim_t soft, rlim_t hard) {
  // A hard limit that we already live under cannot be raised without CAP_SYS_RESOURCE: the lower
  // one holds.
  rlimit current{};
  if (::getrlimit(static_cast<__rlimit_resource_t>(resource), &current) != 0)
    return last_error("getrlimit");
  rlimit wanted{soft, hard};
  if (current.rlim_max < wanted.rlim_max) wanted.rlim_max = current.rlim_max;
  if (wanted.rlim_cur > wanted.rlim_max) wanted.rlim_cur = wanted.rlim_max;
  if (::setrlimit(static_cast<__rlimit_resource_t>(resource), &wanted) != 0) {
    return last_error("setrlimit", std::to_string(resource));
  }
  return {};
}

}  // namespace cmcp::os
