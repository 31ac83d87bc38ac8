// What a Python run gives back, and how it comes out of a finished sandbox.
#pragma once

#include <string>

#include "json/json.h"
#include "managers/run_common/run_report.h"
#include "sandbox/runner.h"

namespace cmcp::managers {

struct PythonResult {
  std::string output;
  std::string error;
  json::Value result;  // null: none
  bool success = false;
  RunReport report;
};

// The result of an outcome that is neither cancelled nor a failed sandbox.
PythonResult python_result_of(sandbox::RunOutcome outcome, const RunLimits& limits);
// Nothing ran, by a rule of the tool: exit code 126 and `error`.
PythonResult python_not_run(std::string error);

}  // namespace cmcp::managers
