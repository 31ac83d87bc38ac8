// The same filter in a third of the instructions. The kernel translates a filter anew in every
// process that loads it, and the time for that grows with each instruction: with libseccomp's
// program, which compares call by call, it was a tenth of a whole run.
//
//   CMCP_TRY(program, compact_filter(program));
//
// Nothing is decided here. For every call number the given program is followed with that number
// put in; neighbouring numbers with the same rest become one range, the ranges a binary tree.
#pragma once

#include <linux/filter.h>

#include <vector>

#include "base/result.h"

namespace cmcp::sandbox {

// A program that answers every call as `program` does. kInternal for an instruction that
// libseccomp does not use.
Result<std::vector<sock_filter>> compact_filter(const std::vector<sock_filter>& program);

}  // namespace cmcp::sandbox
