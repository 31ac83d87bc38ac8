#include "app/beginning.h"

#include "app/start_up.h"
#include "base/log.h"
#include "base/strings.h"
#include "http/guards.h"

namespace cmcp::app {
namespace {

Status configure_log(const config::Settings& settings, LogTarget target) {
  log::Level level = log::Level::kInfo;
  const std::string name = to_lower(settings.text("LOG_LEVEL"));
  if (name == "debug") level = log::Level::kDebug;
  if (name == "warning") level = log::Level::kWarning;
  if (name == "error" || name == "critical" || target == LogTarget::kQuiet)
    level = log::Level::kError;
  const log::Format format = settings.flag("DEBUG") ? log::Format::kHuman : log::Format::kJson;
  return log::configure(level, format, target == LogTarget::kQuiet ? "" : settings.text("LOG_DIR"));
}

// What can be refused before a directory is made or a process started.
Status check_listening(const CommandLine& line, const config::Settings& settings) {
  if (line.command != Command::kServe) return {};
  return http::check_bind(settings.text("MCP_HOST"), !settings.text("MCP_AUTH_TOKEN").empty(),
                          settings.flag("MCP_ALLOW_UNAUTHENTICATED"));
}

}  // namespace

Result<config::Loaded> load_configuration(const CommandLine& line,
                                          const config::Environment& environment) {
  return config::load(line.settings, environment, config::host_facts(environment));
}

Result<std::unique_ptr<Application>> begin(const CommandLine& line,
                                           const config::Environment& environment, LogTarget log) {
  CMCP_TRY(config::Loaded loaded, load_configuration(line, environment));
  CMCP_CHECK_OK(check_listening(line, loaded.settings));
  CMCP_CHECK_OK(configure_log(loaded.settings, log));
  for (const std::string& note : loaded.layout.notes) log::info(note);
  CMCP_TRY(Prepared prepared, prepare(std::move(loaded), environment));
  return Application::create(std::move(prepared));
}

}  // namespace cmcp::app
