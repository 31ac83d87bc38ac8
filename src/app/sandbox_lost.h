// How a server ends whose sandbox launcher is gone for good.
#pragma once

#include <string>

namespace cmcp::app {

// Says in the log what happened and what to do; returns the exit status, one that makes a service
// manager start the server again (EX_TEMPFAIL).
int end_without_sandbox(const std::string& cause);

}  // namespace cmcp::app
