#include "app/commands.h"

#include <iostream>

#include "app/beginning.h"
#include "app/fail_start.h"
#include "config/describe.h"
#include "json/json.h"
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

int doctor(const CommandLine& line, const config::Environment& environment) {
  if (line.seccomp) {
    const auto loaded = load_configuration(line, environment);
    if (!loaded.ok()) return fail_start(loaded.error());
    const bool restricted = loaded->settings.flag("COMMAND_RESTRICTED");
    std::cout << sandbox::dump_seccomp(
        {.deny_memfd = restricted, .deny_sysv_memory = false, .deny_socket_buffers = false});
    return 0;
  }
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
