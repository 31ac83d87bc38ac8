// A bare program, started and waited for: the baseline of every sandboxed run, and how the peers
// are run.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace cmcp::bench {

// Runs argv (argv[0] is a path) with stdout to /dev/null and waits for it. An exit code other than
// 0 is an error.
Status spawn_and_wait(const std::vector<std::string>& argv);

// The same with what it printed on stdout and stderr, for messages: whether a peer works here.
// Returns the text; an exit code other than 0 is an error that holds it.
Result<std::string> spawn_and_read(const std::vector<std::string>& argv);

// The path of the program of that name in the usual system directories; "" when there is none.
std::string find_program(const std::string& name);

}  // namespace cmcp::bench
