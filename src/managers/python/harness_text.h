// The text of harness.py with its parts, as `python -c` takes it.
#pragma once

#include <string>
#include <string_view>

namespace cmcp::managers {

std::string harness_text();

}  // namespace cmcp::managers
