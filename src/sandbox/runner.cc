#include "sandbox/runner.h"

namespace cmcp::sandbox {

const char* name_of(LimitKind kind) {
  switch (kind) {
    case LimitKind::kNone:
      return nullptr;
    case LimitKind::kTime:
      return "time";
    case LimitKind::kCpu:
      return "cpu";
    case LimitKind::kMemory:
      return "memory";
    case LimitKind::kProcesses:
      return "processes";
    case LimitKind::kDisk:
      return "disk";
    case LimitKind::kFileSize:
      return "file_size";
  }
  return nullptr;
}

}  // namespace cmcp::sandbox
