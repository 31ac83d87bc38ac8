// The network namespace of the calling process.
#pragma once

#include "base/result.h"

namespace cmcp::os {

// Leaves the present network namespace for a new, empty one and brings its loopback interface up.
Status enter_new_network();

}  // namespace cmcp::os
