// Server: HTTP/1.1 on the reactor: listeners, connections, guards, authentication, routing.
//
//   http::Server server(reactor, options, std::move(router));
//   CMCP_CHECK_OK(server.listen("127.0.0.1", 8000));
//   …
//   server.shut_down([&] { reactor.stop(); });
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "auth/bearer_token.h"
#include "base/result.h"
#include "http/guards.h"
#include "http/request_parser.h"
#include "http/router.h"
#include "net/reactor.h"
#include "net/stream.h"

namespace cmcp::http {

struct ServerTimeouts {
  std::chrono::milliseconds header{
      15'000};  // from the first byte of a request to the end of its header: 408
  std::chrono::milliseconds body_idle{20'000};  // between two pieces of a body: 408
  std::chrono::milliseconds body_total{300'000};
  std::chrono::milliseconds idle{75'000};  // between two requests: closed without a word
  std::chrono::milliseconds keep_alive_comment{15'000};  // on an event stream with nothing to send
  std::chrono::milliseconds drain{2'000};  // shut_down() gives running answers this long
};

struct ServerOptions {
  ParserLimits limits;
  ServerTimeouts timeouts;
  net::StreamOptions stream;
  GuardOptions guards;
  auth::BearerTokens tokens;  // empty: no authentication
  std::size_t max_connections = 1024;
  // The answer to what is refused before a handler sees it (guards, parser, routing). Default:
  // {"error": message}.
  std::function<Response(const std::string& path, int status, const std::string& message)>
      error_response;
};

struct Endpoint {
  std::string address;  // numeric, without brackets
  std::uint16_t port = 0;
};

class Server {
 public:
  Server(net::Reactor& reactor, ServerOptions options, Router router);
  ~Server();  // ends every connection at once
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Starts to accept on `host` and `port` (0: any). Several calls are several listeners. Errors:
  // see net::Listener::open.
  Status listen(const std::string& host, std::uint16_t port);
  // Listens on 127.0.0.1 and, on the same port, ::1 where this machine has it: the default of
  // MCP_HOST.
  Status listen_loopback(std::uint16_t port);
  std::vector<Endpoint> endpoints() const;
  const Router& router() const;
  std::size_t connections() const;

  // Stops accepting, ends idle connections and event streams, lets running answers finish for the
  // drain time, ends the rest, then calls `done`.
  void shut_down(std::function<void()> done);

  struct Impl;

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace cmcp::http
