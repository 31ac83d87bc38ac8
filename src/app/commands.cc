#include "app/commands.h"

#include <iostream>
#include <string_view>

#include "app/beginning.h"
#include "app/fail_start.h"
#include "app/test_switches.h"
#include "config/describe.h"
#include "json/json.h"
#include "sandbox/launcher_client.h"
#include "sandbox/profiles.h"
#include "sandbox/seccomp_policy.h"

namespace cmcp::app {

int call_tool(const CommandLine& line, const config::Environment& environment) {
  const auto arguments = json::parse(line.arguments);
  if (!arguments.ok())
    return fail_start(arguments.error().with_context("the arguments of " + line.tool));
  auto application = begin(line, environment, LogTarget::kQuiet);
  if (!application.ok()) return fail_start(application.error());
  Application& app = **application;
  int status = 1;
  app.probe([] {});
  app.engine().call_tool(
      auth::Principal{}, line.tool, arguments.value(), [&](mcp::ToolResult result) {
        if (result.refusal) {
          std::cerr << "container-mcp: " << result.refusal->message << '\n';
        } else {
          std::cout << json::write(result.object) << '\n';
          const json::Value* success = json::find(result.object, "success");
          status = success == nullptr || (success->is_bool() && success->get_bool()) ? 0 : 1;
        }
        app.reactor().stop();
      });
  app.reactor().run();
  return status;
}

namespace {

json::Array seccomp_json(const sandbox::SeccompOptions& options) {
  json::Array lines;
  for (const auto& line : sandbox::list_seccomp(options)) {
    lines.push_back(json::Object{{"stage", line.stage},
                                 {"call", line.call},
                                 {"answer", line.answer},
                                 {"when", line.when},
                                 {"reason", line.reason}});
  }
  return lines;
}

// The filter of each profile as it would be loaded here: without a memory cgroup it is stricter.
int show_seccomp(const CommandLine& line, const config::Environment& environment) {
  const auto loaded = load_configuration(line, environment);
  if (!loaded.ok()) return fail_start(loaded.error());
  const auto switches = test_switches(environment);
  if (!switches.ok()) return fail_start(switches.error());
  const bool memory_cgroup =
      !switches->no_cgroup && sandbox::LauncherClient::memory_cgroup_available();
  const bool restricted = loaded->settings.flag("COMMAND_RESTRICTED");
  json::Object object;
  for (const char* profile : {sandbox::kBashProfile, sandbox::kPythonProfile}) {
    const auto options = sandbox::seccomp_options(
        restricted && profile == std::string_view(sandbox::kBashProfile), memory_cgroup);
    if (line.json) {
      object[profile] = seccomp_json(options);
    } else {
      std::cout << "## " << profile << '\n' << sandbox::dump_seccomp(options);
    }
  }
  if (line.json) std::cout << json::write(object) << '\n';
  return 0;
}

}  // namespace

int doctor(const CommandLine& line, const config::Environment& environment) {
  if (line.seccomp) return show_seccomp(line, environment);
  auto application = begin(line, environment, LogTarget::kQuiet);
  if (!application.ok()) return fail_start(application.error());
  Application& app = **application;
  app.probe([&] { app.reactor().stop(); });
  app.reactor().run();
  const sandbox::DoctorFacts facts = app.doctor_facts();
  std::cout << (line.json ? json::write(sandbox::doctor_json(facts)) + "\n"
                          : sandbox::doctor_text(facts));
  return sandbox::doctor_ok(facts) ? 0 : 1;
}

int show_config(const CommandLine& line, const config::Environment& environment) {
  const auto loaded = load_configuration(line, environment);
  if (!loaded.ok()) return fail_start(loaded.error());
  for (const std::string& warning : loaded->warnings)
    std::cerr << "container-mcp: " << warning << '\n';
  std::cout << config::describe(loaded->settings);
  return 0;
}

}  // namespace cmcp::app
