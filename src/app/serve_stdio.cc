#include <csignal>

#include "app/beginning.h"
#include "app/commands.h"
#include "app/fail_start.h"
#include "app/sandbox_lost.h"
#include "base/log.h"
#include "transport/stdio.h"

namespace cmcp::app {

int serve_stdio(const CommandLine& line, const config::Environment& environment) {
  // First of all: from here on nothing but the transport can touch the protocol stream.
  auto channel = transport::take_standard_streams();
  if (!channel.ok()) return fail_start(channel.error());
  auto application = begin(line, environment, LogTarget::kConfigured);
  if (!application.ok()) return fail_start(application.error());
  Application& app = **application;
  transport::StdioOptions options;
  options.max_message_bytes = static_cast<std::size_t>(app.settings().integer("MCP_MAX_BODY_MB"))
                              << 20U;
  transport::Stdio stdio(app.reactor(), app.engine(), auth::Principal{}, std::move(channel).value(),
                         options, [&] { app.reactor().stop(); });
  net::SignalWatch signals(app.reactor(), {SIGTERM, SIGINT, SIGHUP}, [&](int) { stdio.stop(); });
  int status = 0;
  app.on_sandbox_lost([&](const std::string& cause) {
    status = end_without_sandbox(cause);
    stdio.stop();
  });
  app.probe([] {});
  stdio.start();
  app.reactor().run();
  return status;
}

}  // namespace cmcp::app
