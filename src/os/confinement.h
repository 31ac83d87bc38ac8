// What confines the calling process, as the kernel says it: to be compared before and after
// something that claims to confine.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace cmcp::os {

struct Confinement {
  // Inode numbers of the namespaces.
  std::uint64_t mount = 0;
  std::uint64_t pid = 0;
  std::uint64_t network = 0;
  std::uint64_t ipc = 0;
  std::uint64_t uts = 0;
  bool no_new_privs = false;
  std::uint32_t seccomp_filters = 0;
  std::uint64_t bounding_set = 0;
  bool operator==(const Confinement&) const = default;
};

// Reads /proc/self; an error where a part cannot be read.
Result<Confinement> own_confinement();
// The fields of /proc/PID/status; kProtocol when one is missing. Pure.
Status parse_confinement(std::string_view status, Confinement& into);

}  // namespace cmcp::os
