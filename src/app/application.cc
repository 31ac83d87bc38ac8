#include "app/application.h"

#include <utility>
#include <vector>

#include "base/log.h"
#include "managers/bash/bash_manager.h"
#include "managers/file/file_manager.h"
#include "managers/python/python_manager.h"
#include "managers/system/system_manager.h"
#include "obs/json_lines_audit.h"
#include "sandbox/kept_outputs.h"
#include "sandbox/launcher_client.h"
#include "sandbox/level.h"
#include "sandbox/level_gate.h"
#include "sandbox/probe.h"
#include "tools/file_delete.h"
#include "tools/file_list.h"
#include "tools/file_move.h"
#include "tools/file_read.h"
#include "tools/file_write.h"
#include "tools/resources.h"
#include "tools/system_env_var.h"
#include "tools/system_run_command.h"
#include "tools/system_run_python.h"

namespace cmcp::app {
namespace {

constexpr std::size_t kWorkers = 4;
constexpr std::size_t kMaxQueuedWork = 256;

// Stands where the launcher would: every run is refused by the gate before it gets here.
class NoRunner final : public sandbox::Runner {
 public:
  Result<std::shared_ptr<sandbox::RunHandle>> start(sandbox::RunRequest,
                                                    sandbox::RunEvents) override {
    return Error(ErrorCode::kUnavailable,
                 "there is no sandbox on this machine; `container-mcp doctor` says why");
  }
};

const char* identity_text(sandbox::IdentityMode mode) {
  switch (mode) {
    case sandbox::IdentityMode::kUnprivileged:
      return "unprivileged";
    case sandbox::IdentityMode::kRootIdmapped:
      return "root, idmapped workspaces";
    case sandbox::IdentityMode::kRootShared:
      return "root, payloads with the server's uid";
  }
  return "";
}

const char* limiter_text(sandbox::Limiter limiter) {
  switch (limiter) {
    case sandbox::Limiter::kCgroupV2:
      return "cgroup v2";
    case sandbox::Limiter::kCgroupV1:
      return "cgroup v1";
    case sandbox::Limiter::kRlimit:
      return "rlimit + watchdog";
  }
  return "";
}

constexpr const char* kInstructions =
    "A computer in a sandbox. system_run_command runs bash, system_run_python runs Python, the "
    "file tools read and write the "
    "same workspace, which programs see as /workspace and start in. Sandboxed programs have no "
    "network; /tmp is private to a "
    "call and gone afterwards; only the workspace stays. When something is refused, the message "
    "says why and what to change.";

}  // namespace

struct Application::Impl {
  net::Reactor reactor;
  config::Settings settings;
  config::WorkspaceLayout layout;
  sandbox::BackendChoice backend;
  sandbox::Profiles profiles;
  sandbox::Level required = sandbox::Level::kL3;
  sandbox::HostFacts host;
  sandbox::LayerReports reports;
  std::optional<Error> failure;
  std::optional<sandbox::LauncherFacts> launcher_facts;
  std::vector<std::string> warnings;

  std::unique_ptr<obs::JsonLinesAudit> audit;
  std::unique_ptr<sandbox::KeptOutputs> kept;
  NoRunner no_runner;
  std::unique_ptr<sandbox::LauncherClient> launcher;
  std::unique_ptr<sandbox::LevelGate> gate;
  std::unique_ptr<file::FileManager> files;
  std::unique_ptr<net::WorkerPool>
      pool;  // after the manager: destroyed first, so that no work outlives it
  std::unique_ptr<managers::BashManager> bash;
  std::unique_ptr<managers::PythonManager> python;
  std::unique_ptr<managers::SystemManager> system;
  std::unique_ptr<mcp::ResourceReader> resources;
  std::unique_ptr<mcp::Engine> engine;

  Status create(Prepared prepared);
  Status make_files(Prepared& prepared);
  void make_managers(const TestSwitches& switches);
  std::vector<mcp::Tool> make_tools();
  void decide();
  void probe(const std::function<void()>& conclude);
  json::Object run_meta() const;
  sandbox::LimitSettings limit_settings() const;
  managers::WorkingDirCheck working_dir_check();
};

Status Application::Impl::create(Prepared prepared) {
  settings = std::move(prepared.settings);
  layout = std::move(prepared.layout);
  backend = std::move(prepared.backend);
  profiles = std::move(prepared.profiles);
  warnings = std::move(prepared.warnings);
  failure = std::move(prepared.launcher_failure);
  host = sandbox::read_host_facts();
  CMCP_TRY(required, sandbox::parse_level(settings.text("SANDBOX_REQUIRE")));
  CMCP_TRY(audit, obs::JsonLinesAudit::open(layout.state_dir));
  const Bytes keep = Bytes::mebi(static_cast<std::uint64_t>(settings.integer("OUTPUT_KEEP_MB")));
  CMCP_TRY(sandbox::KeptOutputs outputs,
           sandbox::KeptOutputs::open(HostPath{layout.state_dir.value + "/outputs"}, keep));
  kept = std::make_unique<sandbox::KeptOutputs>(std::move(outputs));
  CMCP_CHECK_OK(make_files(prepared));
  if (prepared.launcher) {
    launcher_facts = prepared.launcher->facts;
    launcher = std::make_unique<sandbox::LauncherClient>(
        reactor, std::move(*prepared.launcher), std::move(prepared.launcher_options), kept.get());
  }
  gate = std::make_unique<sandbox::LevelGate>(launcher ? static_cast<sandbox::Runner&>(*launcher)
                                                       : no_runner);
  make_managers(prepared.switches);
  resources = std::make_unique<tools::Resources>(*files);
  mcp::EngineOptions options;
  options.server_version = CMCP_VERSION;
  options.instructions = kInstructions;
  options.debug = settings.flag("DEBUG");
  engine = std::make_unique<mcp::Engine>(reactor, options, make_tools(), resources.get(), *audit);
  for (const std::string& warning : warnings) log::warning(warning);
  return {};
}

Status Application::Impl::make_files(Prepared& prepared) {
  pool = std::make_unique<net::WorkerPool>(reactor, kWorkers, kMaxQueuedWork);
  CMCP_TRY(file::Workspace workspace,
           file::Workspace::from_roots(std::move(prepared.workspace_roots)));
  const auto read_kept = [this](const std::string& principal, const std::string& id,
                                const std::string& stream) {
    return kept->read(principal, id, stream);
  };
  file::FileOptions options = file::options_from(settings);
  options.state_dir = layout.state_dir;
  CMCP_TRY(files, file::FileManager::create(options, file::shared_workspace(std::move(workspace)),
                                            *pool, read_kept));
  return {};
}

managers::WorkingDirCheck Application::Impl::working_dir_check() {
  return [this](const std::string& relative) {
    return files->check_directory(auth::Principal{}, relative);
  };
}

void Application::Impl::make_managers(const TestSwitches& switches) {
  managers::BashOptions bash_options = managers::BashOptions::from_config(settings);
  bash_options.bash = profiles.bash;
  bash_options.skip_parser = switches.no_parser;
  bash = std::make_unique<managers::BashManager>(*gate, bash_options, working_dir_check());
  auto made = managers::PythonManager::from_config(settings, *gate, working_dir_check());
  if (made.ok()) {
    python = std::make_unique<managers::PythonManager>(std::move(made).value());
  } else {
    warnings.push_back("system_run_python is not offered: " + made.error().message());
  }
  const sandbox::Profile* profile = profiles.find(sandbox::kBashProfile);
  system = std::make_unique<managers::SystemManager>(managers::SystemManager::from_config(
      settings, profile == nullptr ? std::vector<std::string>{} : profile->environment));
}

std::vector<mcp::Tool> Application::Impl::make_tools() {
  std::vector<mcp::Tool> tools;
  const auto meta = [this] { return run_meta(); };
  if (settings.flag("TOOLS_ENABLE_SYSTEM")) {
    tools.push_back(tools::system_run_command(*bash, meta));
    if (python) tools.push_back(tools::system_run_python(*python, meta));
    tools.push_back(tools::system_env_var(*system));
  }
  if (settings.flag("TOOLS_ENABLE_FILE")) {
    tools.push_back(tools::file_read(*files));
    tools.push_back(tools::file_list(*files));
    bool writable = !settings.flag("WORKSPACE_READONLY");
    if (writable) {
      writable = false;
      for (const config::WorkspaceMount& mount : layout.mounts)
        writable = writable || !mount.read_only;
    }
    if (writable) {
      tools.push_back(tools::file_write(*files));
      tools.push_back(tools::file_delete(*files));
      tools.push_back(tools::file_move(*files));
    }
  }
  return tools;
}

// The verdict: what is required against what the probe saw.
void Application::Impl::decide() {
  Status verdict = sandbox::require_level(required, reports, failure, host);
  const std::string level = sandbox::name_of(sandbox::level_of(reports));
  if (verdict.ok()) {
    log::info("sandbox ready",
              {{"sandbox_level", level},
               {"backend", sandbox::name_of(backend.backend)},
               {"identity", launcher_facts ? identity_text(launcher_facts->identity) : ""},
               {"limits", launcher_facts ? limiter_text(launcher_facts->limiter) : ""}});
  } else {
    log::error("tools that need a sandbox are refused",
               {{"sandbox_level", level}, {"reason", verdict.error().message()}});
  }
  gate->decide(std::move(verdict));
}

json::Object Application::Impl::run_meta() const {
  json::Object layers;
  for (const sandbox::LayerReport& report : reports)
    layers[sandbox::name_of(report.layer)] = report.active;
  json::Object sandbox;
  sandbox["level"] = sandbox::name_of(sandbox::level_of(reports));
  sandbox["backend"] = sandbox::name_of(backend.backend);
  sandbox["layers"] = std::move(layers);
  if (launcher_facts) sandbox["limiter"] = limiter_text(launcher_facts->limiter);
  return {{"container-mcp/sandbox", std::move(sandbox)}};
}

sandbox::LimitSettings Application::Impl::limit_settings() const {
  const auto number = [this](const char* name) {
    return static_cast<std::uint64_t>(settings.integer(name));
  };
  sandbox::LimitSettings limits;
  if (const auto* bash_profile = profiles.find(sandbox::kBashProfile))
    limits.bash = bash_profile->limits;
  const auto* python_profile = profiles.find(sandbox::kPythonProfile);
  limits.python = python_profile == nullptr ? limits.bash : python_profile->limits;
  limits.tmp = Bytes::mebi(number("SANDBOX_TMP_MB"));
  limits.bash_timeout = number("BASH_TIMEOUT_MAX");
  limits.python_timeout = number("PYTHON_TIMEOUT_MAX");
  limits.quota = number("WORKSPACE_QUOTA_MB") << 20;
  limits.output_chars = number("OUTPUT_MAX_CHARS");
  limits.output_keep_mb = number("OUTPUT_KEEP_MB");
  return limits;
}

Application::Application(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

// The engine's calls hold what the managers gave them: it ends first, the launcher and the reactor
// last.
Application::~Application() {
  impl_->engine.reset();
  impl_->pool.reset();
}

Result<std::unique_ptr<Application>> Application::create(Prepared prepared) {
  auto impl = std::make_unique<Impl>();
  CMCP_CHECK_OK(impl->create(std::move(prepared)));
  return std::unique_ptr<Application>(
      new Application(std::move(impl)));  // NOLINT: private constructor
}

net::Reactor& Application::reactor() {
  return impl_->reactor;
}
mcp::Engine& Application::engine() {
  return *impl_->engine;
}
const config::Settings& Application::settings() const {
  return impl_->settings;
}
const config::WorkspaceLayout& Application::layout() const {
  return impl_->layout;
}

void Application::on_sandbox_lost(std::function<void(const std::string&)> handler) {
  if (impl_->launcher) impl_->launcher->on_gone(std::move(handler));
}

void Application::probe(std::function<void()> decided) {
  Impl* impl = impl_.get();
  const auto conclude = [impl, decided = std::move(decided)] {
    impl->decide();
    decided();
  };
  if (!impl->launcher) {
    impl->reactor.post(conclude);
    return;
  }
  impl->probe(conclude);
}

// One after the other: the bash sandbox, then Python's. A launcher that is killed meanwhile is no
// verdict on the sandboxes of the next one.
void Application::Impl::probe(const std::function<void()>& conclude) {
  constexpr unsigned kMostLaunchers = 8;
  const unsigned generation = launcher->generation();
  const auto take = [this, generation, conclude](Result<sandbox::LayerReports> result, bool first) {
    if (!result.ok() && launcher->available() && launcher->generation() != generation &&
        generation < kMostLaunchers) {
      probe(conclude);
      return false;
    }
    if (!result.ok()) {
      failure = result.take_error();
      reports.clear();
      conclude();
      return false;
    }
    reports = first ? std::move(result).value() : sandbox::merge_reports(reports, result.value());
    return true;
  };
  const sandbox::ProbeContext context{launcher_facts->identity ==
                                      sandbox::IdentityMode::kUnprivileged};
  const auto second = [this, take, conclude, context](Result<sandbox::LayerReports> result) {
    if (!take(std::move(result), true)) return;
    const sandbox::Profile* probe_python = profiles.find(sandbox::kProbePythonProfile);
    if (probe_python == nullptr) return conclude();
    sandbox::probe_profile(*launcher, *probe_python, context,
                           [take, conclude](Result<sandbox::LayerReports> last) {
                             if (take(std::move(last), false)) conclude();
                           });
  };
  sandbox::probe_profile(*launcher, *profiles.find(sandbox::kProbeBashProfile), context, second);
}

sandbox::DoctorFacts Application::doctor_facts() const {
  sandbox::DoctorFacts facts;
  facts.required = impl_->required;
  facts.layers = impl_->reports;
  facts.failure = impl_->failure;
  facts.host = impl_->host;
  facts.backend = impl_->backend;
  if (impl_->launcher_facts) {
    facts.identity_mode = identity_text(impl_->launcher_facts->identity);
    facts.limiter = limiter_text(impl_->launcher_facts->limiter);
    facts.apparmor = impl_->launcher_facts->apparmor;
    facts.apparmor_reason = impl_->launcher_facts->apparmor_reason;
    facts.root_path = "new mount API";
    facts.limits = sandbox::limit_rows(*impl_->launcher_facts, impl_->limit_settings());
    facts.warnings = impl_->launcher_facts->notes;
  }
  if (impl_->python) facts.python = impl_->python->options().python_path;
  facts.missing_commands = impl_->profiles.missing;
  facts.warnings.insert(facts.warnings.end(), impl_->warnings.begin(), impl_->warnings.end());
  return facts;
}

json::Object Application::health() const {
  json::Object out = impl_->run_meta();
  json::Object sandbox = std::move(out["container-mcp/sandbox"].as_object());
  sandbox["version"] = CMCP_VERSION;
  sandbox["required"] = sandbox::name_of(impl_->required);
  sandbox["runs_in_progress"] = impl_->launcher ? impl_->launcher->active_runs() : 0;
  sandbox["calls_in_progress"] = impl_->engine->calls_in_flight();
  return sandbox;
}

}  // namespace cmcp::app
