#include "sandbox/helper/backend.h"

namespace cmcp::sandbox {

const char* name_of(Backend backend) {
  switch (backend) {
    case Backend::kNative:
      return "native";
    case Backend::kBwrap:
      return "bwrap";
    case Backend::kFirejail:
      return "firejail+native";
    case Backend::kNone:
      return "none";
  }
  return "native";
}

}  // namespace cmcp::sandbox
