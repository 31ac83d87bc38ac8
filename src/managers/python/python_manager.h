// PythonManager: runs Python code, each call in a sandbox and a process of its own. Knows nothing
// of MCP. Reactor thread only.
//
//   CMCP_TRY(auto python, PythonManager::from_config(settings, runner, check_working_dir));
//   auto handle = python.run("local", {.code = "_ = 6*7"}, {.done = [](Result<PythonResult> r) { …
//   }});
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/types.h"
#include "config/settings.h"
#include "managers/python/python_result.h"
#include "managers/run_common/environment_rules.h"
#include "managers/run_common/run_rules.h"
#include "sandbox/runner.h"

namespace cmcp::managers {

struct PythonRequest {
  std::string code;
  std::string working_dir = {};  // "" = the workspace
  std::optional<double> timeout_seconds = std::nullopt;
  std::optional<std::string> stdin_data = std::nullopt;
  Environment environment = {};
};

struct PythonEvents {
  // Exactly once. An error means that the code did not get to run for a reason outside the tool's
  // own rules: kInvalidArgument, kBusy, kUnavailable, kCancelled.
  std::function<void(Result<PythonResult>)> done;
  std::function<void(std::string_view)> output = {};  // optional: text as it is printed
};

class PythonManager {
 public:
  struct Options {
    std::string python_path;  // as sandboxed programs see it
    TimeoutRule timeout;
    Bytes memory = Bytes::mebi(256);  // of profile "python": named in errors
    sandbox::OutputBudget budget;
    WorkingDirCheck check_working_dir;
  };

  PythonManager(Options options, sandbox::Runner& runner);
  // kNotFound when PYTHON_PATH is unset and no fit interpreter is installed.
  static Result<PythonManager> from_config(const config::Settings& settings,
                                           sandbox::Runner& runner,
                                           WorkingDirCheck check_working_dir);

  // Starts the code. The handle cancels the run; null when `done` has been called already.
  std::shared_ptr<sandbox::RunHandle> run(const std::string& principal, PythonRequest request,
                                          PythonEvents events);

  const Options& options() const { return options_; }

 private:
  Options options_;
  sandbox::Runner* runner_;
};

}  // namespace cmcp::managers
