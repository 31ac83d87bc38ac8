// Landlock: sizes and bits follow the kernel's ABI, never ours.
#pragma once

#include <cstdint>
#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace cmcp::os {

// The kernel's Landlock ABI (1, 2, …), 0 when it has none.
int landlock_abi();

enum class LandlockAccess { kRead, kReadExecute, kExecuteFile, kReadWrite, kReadWriteExecute };

// The rights that `access` stands for, as far as the ABI knows them: for whoever adds rules itself.
std::uint64_t landlock_rights(LandlockAccess access, int abi);
// Those of all rights that make sense on a file.
std::uint64_t landlock_file_rights();

// A ruleset under construction. Handles every file access of the ABI, TCP bind and connect (ABI 4:
// all denied), and abstract sockets and signals out of the domain (ABI 6).
class LandlockRuleset {
 public:
  static Result<LandlockRuleset> create(int abi);
  // Grants `access` below (for a file: on) what `fd`, an O_PATH descriptor, names. Rights that make
  // no sense on a file are left out when it is one.
  Status allow(int fd, LandlockAccess access);
  // The descriptor for landlock_restrict_self.
  Fd take() { return std::move(fd_); }
  int descriptor() const { return fd_.get(); }

 private:
  LandlockRuleset(Fd fd, std::uint64_t handled) : fd_(std::move(fd)), handled_(handled) {}
  Fd fd_;
  std::uint64_t handled_;
};

// Puts the calling thread under the ruleset; needs no_new_privs.
Status landlock_restrict(int ruleset);

}  // namespace cmcp::os
