#include "os/landlock.h"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/error.h"
#include "os/file.h"

namespace cmcp::os {
namespace {

// The kernel's interface, written out: Debian 12's header stops at ABI 3.
struct RulesetAttr {
  std::uint64_t handled_access_fs;
  std::uint64_t handled_access_net;
  std::uint64_t scoped;
};
struct __attribute__((packed)) PathBeneathAttr {
  std::uint64_t allowed_access;
  std::int32_t parent_fd;
};
constexpr unsigned kCreateRulesetVersion = 1;
constexpr int kRulePathBeneath = 1;

constexpr std::uint64_t kExecute = 1U << 0;
constexpr std::uint64_t kWriteFile = 1U << 1;
constexpr std::uint64_t kReadFile = 1U << 2;
constexpr std::uint64_t kReadDir = 1U << 3;
constexpr std::uint64_t kMakeFamily = 0x1ff0;  // remove and make: bits 4 to 12
constexpr std::uint64_t kRefer = 1U << 13;     // ABI 2
constexpr std::uint64_t kTruncate = 1U << 14;  // ABI 3
constexpr std::uint64_t kIoctlDev = 1U << 15;  // ABI 5
constexpr std::uint64_t kMakeChar = 1U << 6;
constexpr std::uint64_t kMakeBlock = 1U << 11;
constexpr std::uint64_t kFileRights = kExecute | kWriteFile | kReadFile | kTruncate | kIoctlDev;

std::uint64_t handled_by(int abi) {
  std::uint64_t handled = kExecute | kWriteFile | kReadFile | kReadDir | kMakeFamily;
  if (abi >= 2) handled |= kRefer;
  if (abi >= 3) handled |= kTruncate;
  if (abi >= 5) handled |= kIoctlDev;
  return handled;
}

std::size_t size_by(int abi) {
  if (abi >= 6) return sizeof(RulesetAttr);
  if (abi >= 4) return 2 * sizeof(std::uint64_t);
  return sizeof(std::uint64_t);
}

std::uint64_t rights_of(LandlockAccess access) {
  constexpr std::uint64_t kRead = kReadFile | kReadDir;
  // Devices are never made in a sandbox; ioctl on device files is granted with writing (terminals,
  // null).
  constexpr std::uint64_t kWrite =
      kWriteFile | (kMakeFamily & ~(kMakeChar | kMakeBlock)) | kRefer | kTruncate | kIoctlDev;
  switch (access) {
    case LandlockAccess::kRead:
      return kRead;
    case LandlockAccess::kReadExecute:
      return kRead | kExecute;
    case LandlockAccess::kExecuteFile:
      return kReadFile | kExecute;
    case LandlockAccess::kReadWrite:
      return kRead | kWrite;
    case LandlockAccess::kReadWriteExecute:
      return kRead | kWrite | kExecute;
  }
  return 0;
}

}  // namespace

int landlock_abi() {
  const long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, kCreateRulesetVersion);
  return abi > 0 ? static_cast<int>(abi) : 0;
}

std::uint64_t landlock_rights(LandlockAccess access, int abi) {
  return rights_of(access) & handled_by(abi);
}

std::uint64_t landlock_file_rights() {
  return kFileRights;
}

Result<LandlockRuleset> LandlockRuleset::create(int abi) {
  RulesetAttr attr{};
  attr.handled_access_fs = handled_by(abi);
  attr.handled_access_net = 3;  // TCP bind and connect; read by the kernel from ABI 4 on
  attr.scoped = 3;              // abstract sockets and signals; read from ABI 6 on
  const long fd = ::syscall(SYS_landlock_create_ruleset, &attr, size_by(abi), 0);
  if (fd < 0) return last_error("landlock_create_ruleset", "ABI " + std::to_string(abi));
  return LandlockRuleset(Fd(static_cast<int>(fd)), attr.handled_access_fs);
}

Status LandlockRuleset::allow(int fd, LandlockAccess access) {
  CMCP_TRY(const struct stat info, stat_of(fd));
  PathBeneathAttr rule{};
  rule.allowed_access = rights_of(access) & handled_;
  if (!S_ISDIR(info.st_mode)) rule.allowed_access &= kFileRights;
  rule.parent_fd = fd;
  if (::syscall(SYS_landlock_add_rule, fd_.get(), kRulePathBeneath, &rule, 0) != 0) {
    return last_error("landlock_add_rule");
  }
  return {};
}

Status landlock_restrict(int ruleset) {
  if (::syscall(SYS_landlock_restrict_self, ruleset, 0) != 0)
    return last_error("landlock_restrict_self");
  return {};
}

}  // namespace cmcp::os
