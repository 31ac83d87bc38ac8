#include <csignal>
#include <iostream>
#include <memory>

#include "app/banner.h"
#include "app/beginning.h"
#include "app/commands.h"
#include "app/fail_start.h"
#include "app/sandbox_lost.h"
#include "base/log.h"
#include "http/server.h"
#include "transport/health.h"
#include "transport/http_errors.h"
#include "transport/legacy_sse.h"
#include "transport/session_ids.h"
#include "transport/session_table.h"
#include "transport/streamable_http.h"

namespace cmcp::app {
namespace {

constexpr std::size_t kMaxStreams = 1024;

http::ServerOptions server_options(const config::Settings& settings) {
  http::ServerOptions options;
  options.limits.body_bytes = static_cast<std::size_t>(settings.integer("MCP_MAX_BODY_MB")) << 20U;
  options.guards.hosts = settings.list("MCP_ALLOWED_HOSTS");
  options.guards.origins = settings.list("MCP_ALLOWED_ORIGINS");
  options.error_response = transport::refusal;
  if (const std::string& token = settings.text("MCP_AUTH_TOKEN"); !token.empty()) {
    options.tokens.add(token, auth::Principal{"token"});
  }
  return options;
}

Result<transport::SessionTableOptions> session_options(const Application& app) {
  const std::string& configured = app.settings().text("MCP_SESSION_KEY_FILE");
  const std::string state = app.layout().state_dir.value;
  transport::SessionTableOptions options;
  CMCP_TRY(options.key, transport::load_or_create_session_key(
                            HostPath{configured.empty() ? state + "/session.key" : configured}));
  options.ended_file = HostPath{state + "/sessions.ended"};
  return options;
}

// Everything that HTTP needs, in the order of who needs whom.
class HttpService {
 public:
  static Result<std::unique_ptr<HttpService>> create(Application& app) {
    CMCP_TRY(transport::SessionTableOptions sessions, session_options(app));
    std::unique_ptr<HttpService> service(
        new HttpService(app, std::move(sessions)));  // NOLINT: private constructor
    CMCP_CHECK_OK(service->listen());
    return service;
  }

  std::vector<std::string> urls() const {
    std::vector<std::string> out;
    for (const http::Endpoint& endpoint : server_->endpoints()) {
      const bool six = endpoint.address.find(':') != std::string::npos;
      out.push_back("http://" + (six ? "[" + endpoint.address + "]" : endpoint.address) + ":" +
                    std::to_string(endpoint.port));
    }
    return out;
  }

  // New requests are refused, running calls are cancelled, answers under way are finished; then the
  // reactor stops.
  void shut_down(int signal) {
    if (stopping_) return;
    stopping_ = true;
    log::info("stopping", {{"signal", std::to_string(signal)},
                           {"calls_in_progress", std::to_string(app_.engine().calls_in_flight())}});
    app_.engine().shut_down([this] { server_->shut_down([this] { app_.reactor().stop(); }); });
  }

 private:
  HttpService(Application& app, transport::SessionTableOptions sessions)
      : app_(app),
        sessions_(app.reactor(), std::move(sessions)),
        streams_(kMaxStreams),
        streamable_(app.reactor(), app.engine(), sessions_, streams_, {}),
        sse_(app.engine(), streams_, {}) {
    http::Router router;
    streamable_.add_routes(router);
    sse_.add_routes(router);
    const bool with_token = !app.settings().text("MCP_AUTH_TOKEN").empty();
    transport::add_health_route(
        router, with_token ? transport::Authentication::kOn : transport::Authentication::kOff,
        [&app] { return app.health(); });
    server_ = std::make_unique<http::Server>(app.reactor(), server_options(app.settings()),
                                             std::move(router));
  }

  Status listen() {
    const auto port = static_cast<std::uint16_t>(app_.settings().integer("MCP_PORT"));
    if (!app_.settings().is_set("MCP_HOST")) return server_->listen_loopback(port);
    return server_->listen(app_.settings().text("MCP_HOST"), port);
  }

  Application& app_;
  transport::SessionTable sessions_;
  transport::StreamBudget streams_;
  transport::StreamableHttp streamable_;
  transport::LegacySse sse_;
  std::unique_ptr<http::Server> server_;
  bool stopping_ = false;
};

void print_banner(const Application& app, const HttpService& service) {
  BannerFacts facts;
  facts.version = CMCP_VERSION;
  facts.urls = service.urls();
  facts.authenticated = !app.settings().text("MCP_AUTH_TOKEN").empty();
  for (const config::WorkspaceMount& mount : app.layout().mounts) {
    facts.workspaces.push_back(mount.path.value + " as /workspace" +
                               (mount.name.empty() ? "" : "/" + mount.name) +
                               (mount.read_only ? " (read-only)" : ""));
  }
  facts.sandbox = app.doctor_facts();
  std::cout << banner(facts) << std::flush;
}

}  // namespace

int serve_http(const CommandLine& line, const config::Environment& environment) {
  auto application = begin(line, environment, LogTarget::kConfigured);
  if (!application.ok()) return fail_start(application.error());
  Application& app = **application;
  auto service = HttpService::create(app);
  if (!service.ok()) return fail_start(service.error());
  for (const std::string& url : (*service)->urls()) log::info("listening", {{"url", url}});
  if (app.settings().text("MCP_AUTH_TOKEN").empty() &&
      app.settings().flag("MCP_ALLOW_UNAUTHENTICATED")) {
    log::warning(
        "anybody who reaches this address may run code in the sandbox (MCP_ALLOW_UNAUTHENTICATED)");
  }
  net::SignalWatch signals(app.reactor(), {SIGTERM, SIGINT, SIGHUP},
                           [&](int signal) { (*service)->shut_down(signal); });
  int status = 0;
  app.on_sandbox_lost([&](const std::string& cause) {
    status = end_without_sandbox(cause);
    (*service)->shut_down(0);
  });
  app.probe([&] { print_banner(app, **service); });
  app.reactor().run();
  return status;
}

}  // namespace cmcp::app
