// How a start ends that cannot go on.
#pragma once

#include "base/result.h"

namespace cmcp::app {

// Says on stderr why the start ended here; returns the exit status: 2 for what the user typed or
// set, else 1.
int fail_start(const Error& error);

}  // namespace cmcp::app
