// BashManager: runs bash commands, each in a sandbox of its own, under the rules of
// COMMAND_RESTRICTED and the BASH_* settings. It knows no MCP. Reactor thread only.
//
//   BashManager manager(runner, BashOptions::from_config(settings), check_working_dir);
//   auto handle = manager.run(principal, {.command = "ls"}, {.done = [](Result<BashResult> result)
//   { … }});
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/principal.h"
#include "base/result.h"
#include "base/types.h"
#include "config/settings.h"
#include "managers/bash/allow_list.h"
#include "managers/run_common/environment_rules.h"
#include "managers/run_common/run_report.h"
#include "managers/run_common/run_rules.h"
#include "sandbox/runner.h"

namespace cmcp::managers {

struct BashOptions {
  bool restricted = true;                          // COMMAND_RESTRICTED
  std::vector<std::string> allowed_commands = {};  // BASH_ALLOWED_COMMANDS
  TimeoutRule timeout = {};                        // BASH_TIMEOUT_DEFAULT, BASH_TIMEOUT_MAX
  Bytes memory = Bytes::mebi(512);    // BASH_MEMORY_LIMIT, as the profile has it: for messages
  sandbox::OutputBudget budget = {};  // OUTPUT_MAX_CHARS, OUTPUT_KEEP_MB
  std::string bash = "/bin/bash";     // absolute path in the sandbox
  std::string profile = "bash";
  // Leaves the early parse out, so that tests can prove that the kernel's rule holds alone. Without
  // effect in a build without test switches.
  bool skip_parser = false;

  // What the settings decide; `bash` and `profile` keep their defaults.
  static BashOptions from_config(const config::Settings& settings);
};

struct BashRequest {
  std::string command = {};
  std::string working_dir = {};                // "" = the workspace
  std::optional<double> timeout_seconds = {};  // nothing: the default
  std::optional<std::string> stdin_data = {};  // nothing: empty
  Environment environment = {};
};

struct BashResult {
  std::string out;
  std::string err;  // with a line of ours when a limit ended the run or nothing was run
  bool success = false;
  RunReport report;
};

struct BashEvents {
  // Exactly once, last; it may come before run() returns. Errors: kInvalidArgument (command,
  // timeout, env), kBusy, kUnavailable (no sandbox), kCancelled. What the tool's own rules decide
  // is a result.
  std::function<void(Result<BashResult>)> done;
  std::function<void(std::string_view new_output)> output = {};  // optional: output as it arrives
};

// The longest command that can be run, in bytes: the kernel takes no single argument of 128 KiB.
inline constexpr std::size_t kMaxCommandBytes = (std::size_t{128} << 10U) - 1;

class BashManager {
 public:
  // `runner` outlives the manager and every run. `check_working_dir` may be empty.
  BashManager(sandbox::Runner& runner, BashOptions options, WorkingDirCheck check_working_dir);

  // Starts the command. The handle cancels it; nullptr when the answer came at once.
  std::shared_ptr<sandbox::RunHandle> run(const auth::Principal& principal, BashRequest request,
                                          BashEvents events);

  const BashOptions& options() const { return options_; }
  const AllowList& allow_list() const { return allow_list_; }

 private:
  // The result of a command that the rules refuse; nothing when it may run.
  std::optional<BashResult> refusal(const std::string& command) const;
  // What the list says about a command; "" when it may run.
  std::string list_refusal(const std::string& command) const;

  sandbox::Runner& runner_;
  BashOptions options_;
  WorkingDirCheck check_working_dir_;
  AllowList allow_list_;
};

}  // namespace cmcp::managers
