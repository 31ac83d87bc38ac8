// Which Python runs the code.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace cmcp::managers {

// The newest python3.N with N >= 11 in `directory`, never one of PATH. kNotFound says what to
// install or to set.
Result<std::string> find_python(const std::string& directory = "/usr/bin");

// The arguments that run `python` with the harness: descriptor 3 is the code, descriptor 4 takes
// the result.
std::vector<std::string> python_arguments(const std::string& python);

}  // namespace cmcp::managers
