#include "managers/bash/bash_manager.h"

#include <fmt/format.h>

#include <utility>

#include "base/strings.h"
#include "managers/bash/bash_outcome.h"

namespace cmcp::managers {
namespace {

constexpr std::string_view kHowToChange =
    "To allow more, add commands to BASH_ALLOWED_COMMANDS or set COMMAND_RESTRICTED=false, and "
    "restart the server.";

BashResult nothing_run(std::string message, int exit_code) {
  BashResult result;
  result.err = std::move(message);
  result.report = report_of_nothing_run();
  result.report.exit_code = exit_code;
  return result;
}

std::string quoted_list(const std::vector<std::string>& names, std::size_t first) {
  std::vector<std::string> shown;
  for (std::size_t i = first; i < names.size(); ++i) shown.push_back(printable(names[i]));
  return join(shown, ", ");
}

// The text of the original server, then what else the caller should know.
std::string not_allowed(const std::vector<std::string>& refused, const AllowList& list) {
  std::string text = fmt::format("Command not allowed: {}. Allowed commands: {}.",
                                 printable(refused.front()), list.listed());
  if (refused.size() > 1) text += fmt::format(" Also not allowed: {}.", quoted_list(refused, 1));
  if (refused.front().ends_with('\r'))
    text += " The command text has Windows line ends (CR LF); use LF alone.";
  return text + " Nothing was run. " + std::string(kHowToChange);
}

std::string too_long(std::size_t size) {
  return fmt::format(
      "The command has {} bytes; at most {} can be given. Nothing was run. Write it to a file in "
      "the "
      "workspace and run `source FILE`, or give large data as stdin.",
      size, kMaxCommandBytes);
}

}  // namespace

BashOptions BashOptions::from_config(const config::Settings& settings) {
  BashOptions options;
  options.restricted = settings.flag("COMMAND_RESTRICTED");
  options.allowed_commands = settings.list("BASH_ALLOWED_COMMANDS");
  options.timeout.default_value = std::chrono::seconds(settings.integer("BASH_TIMEOUT_DEFAULT"));
  options.timeout.maximum = std::chrono::seconds(settings.integer("BASH_TIMEOUT_MAX"));
  options.memory = Bytes::mebi(static_cast<std::uint64_t>(settings.integer("BASH_MEMORY_LIMIT")));
  options.budget.max_chars = static_cast<std::size_t>(settings.integer("OUTPUT_MAX_CHARS"));
  options.budget.keep = Bytes::mebi(static_cast<std::uint64_t>(settings.integer("OUTPUT_KEEP_MB")));
  return options;
}

BashManager::BashManager(sandbox::Runner& runner, BashOptions options,
                         WorkingDirCheck check_working_dir)
    : runner_(runner),
      options_(std::move(options)),
      check_working_dir_(std::move(check_working_dir)),
      allow_list_(options_.allowed_commands) {}

std::string BashManager::list_refusal(const std::string& command) const {
  if (!options_.restricted) return {};
  if (allow_list_.empty()) {
    return "Command restrictions enabled but no commands are allowed. Add commands to "
           "BASH_ALLOWED_COMMANDS or set "
           "COMMAND_RESTRICTED=false";
  }
#ifdef CMCP_TEST_SWITCHES
  if (options_.skip_parser) return {};
#endif
  const auto refused = allow_list_.refused(command);
  return refused.empty() ? std::string{} : not_allowed(refused, allow_list_);
}

std::optional<BashResult> BashManager::refusal(const std::string& command) const {
  if (strip(command).empty()) return nothing_run("Empty command", 1);
  if (command.size() > kMaxCommandBytes)
    return nothing_run(too_long(command.size()), kNotAllowedExitCode);
  if (auto text = list_refusal(command); !text.empty())
    return nothing_run(std::move(text), kNotAllowedExitCode);
  return std::nullopt;
}

std::shared_ptr<sandbox::RunHandle> BashManager::run(const auth::Principal& principal,
                                                     BashRequest request, BashEvents events) {
  auto answer = [&events](Result<BashResult> result) {
    events.done(std::move(result));
    return std::shared_ptr<sandbox::RunHandle>();
  };
  if (request.command.find('\0') != std::string::npos) {
    return answer(Error(ErrorCode::kInvalidArgument,
                        "command holds a NUL character, which no command can have."));
  }
  auto timeout = resolve_timeout(request.timeout_seconds, options_.timeout);
  if (!timeout.ok()) return answer(timeout.take_error());
  auto environment = environment_entries(request.environment);
  if (!environment.ok()) return answer(environment.take_error());
  if (auto refused = refusal(request.command)) return answer(std::move(*refused));
  auto directory = resolve_working_dir(request.working_dir, check_working_dir_);
  if (!directory.ok() && directory.error().code() == ErrorCode::kInvalidArgument)
    return answer(directory.take_error());
  if (!directory.ok()) {
    return answer(
        nothing_run(directory.error().message() + " Nothing was run.", kNotAllowedExitCode));
  }

  sandbox::RunRequest run;
  run.profile = options_.profile;
  run.principal = principal.id;
  // The last argument is $0: messages of bash then begin with "bash:", as they do in a terminal.
  run.argv = {options_.bash, "--norc", "--noprofile", "-c", std::move(request.command), "bash"};
  run.environment = std::move(*environment);
  run.working_dir = std::move(*directory);
  run.timeout = *timeout;
  run.stdin_data = std::move(request.stdin_data);
  run.budget = options_.budget;

  const RunLimits limits{*timeout, options_.memory};
  sandbox::RunEvents run_events;
  run_events.output = std::move(events.output);
  // A copy: when the start fails, the answer is given here.
  run_events.done = [done = events.done, limits](sandbox::RunOutcome outcome) {
    done(bash_result(std::move(outcome), limits));
  };
  auto handle = runner_.start(std::move(run), std::move(run_events));
  if (!handle.ok()) return answer(handle.take_error());
  return std::move(*handle);
}

}  // namespace cmcp::managers
