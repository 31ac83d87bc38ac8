// From the launcher's report to the outcome of a run: which end, which exit code, which limit.
#pragma once

#include "sandbox/helper/wire.h"
#include "sandbox/runner.h"

namespace cmcp::sandbox {

// Everything but duration and streams. Pure.
RunOutcome outcome_of(const wire::Ended& ended, const RunRequest& request);

}  // namespace cmcp::sandbox
