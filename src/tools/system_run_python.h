// system_run_python: Python code in a sandbox.
#pragma once

#include <functional>

#include "managers/python/python_manager.h"
#include "mcp/tool.h"

namespace cmcp::tools {

// `python` must outlive the tool. `run_meta` (may be empty) gives the `_meta` of each result: the
// sandbox's level.
mcp::Tool system_run_python(managers::PythonManager& python,
                            std::function<json::Object()> run_meta = {});

}  // namespace cmcp::tools
