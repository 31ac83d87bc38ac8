// Loading of a seccomp filter that somebody else compiled.
#pragma once

#include <linux/filter.h>

#include <vector>

#include "base/result.h"

namespace cmcp::os {

// Loads `program` for the calling thread; needs no_new_privs. kInvalidArgument when it is empty or
// over 4096 steps.
Status load_seccomp(const std::vector<sock_filter>& program);

}  // namespace cmcp::os
