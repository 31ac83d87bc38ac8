#include "sandbox/helper/facts.h"

namespace cmcp::sandbox {

const char* name_of(IdentityMode mode) {
  switch (mode) {
    case IdentityMode::kUnprivileged:
      return "unprivileged";
    case IdentityMode::kRootIdmapped:
      return "root_idmapped";
    case IdentityMode::kRootShared:
      return "root_shared";
  }
  return "unknown";
}

const char* name_of(CpuShare share) {
  switch (share) {
    case CpuShare::kCgroupV2:
      return "cgroup_v2";
    case CpuShare::kCgroupV1:
      return "cgroup_v1";
    case CpuShare::kPriority:
      return "nice";
  }
  return "unknown";
}

const char* name_of(Limiter limiter) {
  switch (limiter) {
    case Limiter::kCgroupV2:
      return "cgroup_v2";
    case Limiter::kCgroupV1:
      return "cgroup_v1";
    case Limiter::kRlimit:
      return "rlimit";
  }
  return "unknown";
}

}  // namespace cmcp::sandbox
