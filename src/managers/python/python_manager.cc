#include "managers/python/python_manager.h"

#include <utility>

#include "base/utf8.h"
#include "managers/python/interpreter.h"

namespace cmcp::managers {
namespace {

constexpr std::size_t kMaxCode = std::size_t{16} << 20U;

Status check_code(const std::string& code) {
  if (code.size() > kMaxCode) {
    return Error(ErrorCode::kInvalidArgument,
                 "code: " + std::to_string(code.size()) + " bytes were given; at most " +
                     std::to_string(kMaxCode) +
                     " are allowed. Put data into a file of the workspace.");
  }
  if (!utf8::is_valid(code)) {
    return Error(
        ErrorCode::kInvalidArgument,
        "code: the text is not well-formed Unicode (a lone surrogate or a broken character).");
  }
  return {};
}

Result<PythonResult> result_of(sandbox::RunOutcome outcome, const RunLimits& limits) {
  using End = sandbox::RunOutcome::End;
  if (outcome.end == End::kCancelled)
    return Error(ErrorCode::kCancelled, "The call was cancelled.");
  if (outcome.end == End::kSandboxFailed) return Error(outcome.failure_code, outcome.failure);
  return python_result_of(std::move(outcome), limits);
}

Bytes megabytes(const config::Settings& settings, std::string_view name) {
  return Bytes::mebi(static_cast<std::uint64_t>(settings.integer(name)));
}

}  // namespace

PythonManager::PythonManager(Options options, sandbox::Runner& runner)
    : options_(std::move(options)), runner_(&runner) {}

Result<PythonManager> PythonManager::from_config(const config::Settings& settings,
                                                 sandbox::Runner& runner,
                                                 WorkingDirCheck check_working_dir) {
  Options options;
  options.python_path = settings.text("PYTHON_PATH");
  if (options.python_path.empty()) {
    CMCP_TRY(options.python_path, find_python());
  }
  options.timeout = {std::chrono::seconds(settings.integer("PYTHON_TIMEOUT_DEFAULT")),
                     std::chrono::seconds(settings.integer("PYTHON_TIMEOUT_MAX"))};
  options.memory = megabytes(settings, "PYTHON_MEMORY_LIMIT");
  options.budget = {static_cast<std::size_t>(settings.integer("OUTPUT_MAX_CHARS")),
                    megabytes(settings, "OUTPUT_KEEP_MB")};
  options.check_working_dir = std::move(check_working_dir);
  return PythonManager(std::move(options), runner);
}

std::shared_ptr<sandbox::RunHandle> PythonManager::run(const std::string& principal,
                                                       PythonRequest request, PythonEvents events) {
  const auto refuse = [&](Error error) {
    events.done(std::move(error));
    return nullptr;
  };
  if (Status code = check_code(request.code); !code.ok()) return refuse(code.take_error());
  auto timeout = resolve_timeout(request.timeout_seconds, options_.timeout);
  if (!timeout.ok()) return refuse(timeout.take_error());
  auto environment = environment_entries(request.environment);
  if (!environment.ok()) return refuse(environment.take_error());
  auto directory = resolve_working_dir(request.working_dir, options_.check_working_dir);
  if (!directory.ok()) {
    events.done(python_not_run(directory.error().message()));
    return nullptr;
  }

  sandbox::RunRequest run;
  run.profile = "python";
  run.principal = principal;
  run.argv = python_arguments(options_.python_path);
  run.environment = std::move(*environment);
  run.working_dir = std::move(*directory);
  run.timeout = *timeout;
  run.stdin_data = std::move(request.stdin_data);
  run.inputs.push_back(std::move(request.code));
  run.result_channel = true;
  run.budget = options_.budget;
  const RunLimits limits{*timeout, options_.memory};
  auto started = runner_->start(
      std::move(run),
      {.done = [done = events.done, limits](
                   sandbox::RunOutcome outcome) { done(result_of(std::move(outcome), limits)); },
       .output = std::move(events.output)});
  if (!started.ok()) return refuse(started.take_error());
  return std::move(*started);
}

}  // namespace cmcp::managers
