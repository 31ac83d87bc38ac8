#include "sandbox/helper/profile.h"

namespace cmcp::sandbox {

const char* name_of(Layer layer) {
  switch (layer) {
    case Layer::kUserNamespace:
      return "user_namespace";
    case Layer::kMountNamespace:
      return "mount_namespace";
    case Layer::kPidNamespace:
      return "pid_namespace";
    case Layer::kNetworkNamespace:
      return "network_namespace";
    case Layer::kIpcNamespace:
      return "ipc_namespace";
    case Layer::kUtsNamespace:
      return "uts_namespace";
    case Layer::kCgroupNamespace:
      return "cgroup_namespace";
    case Layer::kReadOnlyRoot:
      return "read_only_root";
    case Layer::kProc:
      return "proc";
    case Layer::kCapabilities:
      return "capabilities";
    case Layer::kNoNewPrivs:
      return "no_new_privs";
    case Layer::kSeccomp:
      return "seccomp";
    case Layer::kLandlock:
      return "landlock";
    case Layer::kMemoryLimit:
      return "memory_limit";
    case Layer::kProcessLimit:
      return "process_limit";
  }
  return "unknown";
}

}  // namespace cmcp::sandbox
