#include "http/server.h"

#include <map>

#include "base/log.h"
#include "base/strings.h"
#include "http/connection.h"
#include "json/json.h"
#include "net/listener.h"

namespace cmcp::http {

namespace {

constexpr int kSamePortAttempts = 20;

Response plain_error(const std::string& /*path*/, int status, const std::string& message) {
  return Response::json(status, json::write(json::Object{{"error", message}}));
}

}  // namespace

struct Server::Impl : ConnectionHost {
  Impl(net::Reactor& r, ServerOptions o, Router t)
      : reactor(r),
        settings(std::move(o)),
        router(std::move(t)),
        guards(settings.guards),
        drain_timer(r) {
    if (!settings.error_response) settings.error_response = plain_error;
  }
  ~Impl() override {
    for (const auto& [key, connection] : connections) connection->drop();
  }

  const ServerOptions& options() const override { return settings; }

  std::optional<Response> gate(Request& request) override {
    if (const auto reason = guards.refusal(request)) {
      log_refusal(request, *reason);
      return settings.error_response(request.path, 403, *reason);
    }
    if (Guards::is_preflight(request)) {
      return Guards::preflight_response(request, router.methods(request.path));
    }
    if (settings.tokens.empty()) return std::nullopt;
    const auto given = request.headers.find("Authorization");
    const auto owner =
        request.headers.count("Authorization") == 1 ? settings.tokens.check(*given) : std::nullopt;
    if (owner) {
      request.principal = *owner;
      request.authenticated = true;
      return std::nullopt;
    }
    if (router.is_open(request.path)) return std::nullopt;
    return unauthorized(request, given.has_value());
  }

  // At most one line a second: refusals cost an attacker nothing and must not fill the log.
  void log_refusal(const Request& request, const std::string& reason) {
    ++refusals;
    const auto now = std::chrono::steady_clock::now();
    if (now < next_refusal_line) return;
    next_refusal_line = now + std::chrono::seconds(1);
    log::warning("request refused", {{"peer", request.peer_address},
                                     {"reason", reason},
                                     {"refused_so_far", std::to_string(refusals)}});
  }

  Response unauthorized(const Request& request, bool given) const {
    Response response = settings.error_response(
        request.path, 401,
        given ? "the token in the Authorization header is not valid here"
              : "this server needs a token: send the header \"Authorization: Bearer TOKEN\" with "
                "the value of MCP_AUTH_TOKEN");
    response.headers.add("WWW-Authenticate",
                         given ? R"(Bearer realm="container-mcp", error="invalid_token")"
                               : R"(Bearer realm="container-mcp")");
    return response;
  }

  void dispatch(Request request, std::shared_ptr<Responder> responder) override {
    if (const Route* route = router.find(request.method, request.path)) {
      return route->handler(std::move(request), std::move(responder));
    }
    const std::vector<std::string> methods = router.methods(request.path);
    if (methods.empty()) {
      return responder->respond(settings.error_response(
          request.path, 404, "there is nothing at " + printable(request.path, 100)));
    }
    Response response =
        request.method == "OPTIONS"
            ? Response::empty(204)
            : settings.error_response(request.path, 405,
                                      printable(request.method, 20) + " is not possible at " +
                                          request.path + "; possible: " + join(methods, ", "));
    response.headers.add("Allow", join(methods, ", "));
    responder->respond(std::move(response));
  }

  void connection_closed(HttpConnection* connection) override {
    connections.erase(connection);
    if (connections.empty()) drained();
  }

  void accepted(Fd socket, net::Peer peer) {
    auto connection =
        std::make_shared<HttpConnection>(reactor, *this, std::move(socket), std::move(peer));
    const bool full = connections.size() >= settings.max_connections;
    connections.emplace(connection.get(), connection);
    if (!full) return connection->start();
    Response response = settings.error_response(
        "", 503,
        "the server has " + std::to_string(settings.max_connections) +
            " connections open already; close one or try again in a moment");
    response.headers.add("Retry-After", "1");
    connection->turn_away(std::move(response));
  }

  void shut_down(std::function<void()> done) {
    listeners.clear();
    on_drained = std::move(done);
    // Draining changes `connections` only later, through posted notices.
    for (const auto& [key, connection] : connections) connection->drain();
    if (connections.empty()) {
      reactor.post([this, weak = std::weak_ptr<bool>(alive)] {
        if (weak.lock()) drained();
      });
      return;
    }
    drain_timer.start(settings.timeouts.drain, [this] {
      for (const auto& [key, connection] : connections) connection->drop();
      connections.clear();
      drained();
    });
  }

  void drained() {
    if (!on_drained) return;
    drain_timer.cancel();
    std::exchange(on_drained, nullptr)();
  }

  net::Reactor& reactor;
  ServerOptions settings;
  Router router;
  Guards guards;
  std::vector<std::unique_ptr<net::Listener>> listeners;
  std::map<HttpConnection*, std::shared_ptr<HttpConnection>> connections;
  net::Timer drain_timer;
  std::uint64_t refusals = 0;
  std::chrono::steady_clock::time_point next_refusal_line;
  std::function<void()> on_drained;
  std::shared_ptr<bool> alive = std::make_shared<bool>(true);
};

Server::Server(net::Reactor& reactor, ServerOptions options, Router router)
    : impl_(std::make_shared<Impl>(reactor, std::move(options), std::move(router))) {}
Server::~Server() = default;

Status Server::listen(const std::string& host, std::uint16_t port) {
  CMCP_TRY(auto listener, net::Listener::open(impl_->reactor, host, port,
                                              [impl = impl_.get()](Fd socket, net::Peer peer) {
                                                impl->accepted(std::move(socket), std::move(peer));
                                              }));
  impl_->guards.add_bound_address(listener->address());
  impl_->listeners.push_back(std::move(listener));
  return {};
}

Status Server::listen_loopback(std::uint16_t port) {
  for (int attempt = 1;; ++attempt) {
    CMCP_CHECK_OK(listen("127.0.0.1", port));
    const Status second = listen("::1", impl_->listeners.back()->port());
    if (second.ok()) return {};
    if (second.error().code() == ErrorCode::kUnavailable) {
      log::info("no IPv6 loopback address; listening on 127.0.0.1 alone");
      return {};
    }
    impl_->listeners.pop_back();
    // A port that was chosen freely for the one family can be taken in the other: choose again.
    if (port != 0 || second.error().code() != ErrorCode::kBusy || attempt == kSamePortAttempts)
      return second;
  }
}

std::vector<Endpoint> Server::endpoints() const {
  std::vector<Endpoint> found;
  for (const auto& listener : impl_->listeners)
    found.push_back({listener->address(), listener->port()});
  return found;
}

const Router& Server::router() const {
  return impl_->router;
}
std::size_t Server::connections() const {
  return impl_->connections.size();
}
void Server::shut_down(std::function<void()> done) {
  impl_->shut_down(std::move(done));
}

}  // namespace cmcp::http
