// BackendChoice: what SANDBOX_BACKEND asks for, checked before anything is started. What cannot be
// met stops the start.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sandbox/helper/backend.h"
#include "sandbox/level.h"

namespace cmcp::sandbox {

struct BackendChoice {
  Backend backend = Backend::kNative;
  std::string version;               // of the other program; "" without one
  std::vector<std::string> effects;  // what it adds, as read back after the start
  std::vector<std::string> notes;    // worth a line in doctor
  bool bwrap_disable_userns = false;
};

// "bwrap" -> kBwrap. kInvalidArgument names what is allowed.
Result<Backend> parse_backend(std::string_view text);
// The part that needs no look at the machine: none only together with L0. Pure.
Status check_required(Backend backend, Level required);

}  // namespace cmcp::sandbox
