// StreamableHttp: the protocol on /mcp: sessions of the legacy era (2025-03-26 to 2025-11-25) and
// the stateless requests of 2026-07-28 on one endpoint. Which era a message belongs to:
// reference/mcp.md section 1.6.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "http/router.h"
#include "json/json.h"
#include "mcp/engine.h"
#include "net/reactor.h"
#include "transport/post_answer.h"
#include "transport/session_table.h"
#include "transport/stream_budget.h"

namespace cmcp::transport {

struct StreamableHttpOptions {
  json::Limits json;
  // An answer that takes longer becomes an event stream.
  std::chrono::milliseconds stream_after{300};
  // What a client is told to wait before it opens a lost GET stream again.
  std::chrono::milliseconds retry{3'000};
};

class StreamableHttp {
 public:
  // Everything passed in outlives this object and the http::Server with its routes.
  StreamableHttp(net::Reactor& reactor, mcp::Engine& engine, SessionTable& sessions,
                 StreamBudget& streams, StreamableHttpOptions options);

  // POST, GET and DELETE on /mcp and /mcp/.
  void add_routes(http::Router& router);

 private:
  using ResponderPtr = std::shared_ptr<http::Responder>;
  struct Post;  // a POST in hand: request, responder, parsed message

  void on_post(http::Request request, ResponderPtr responder);
  void on_get(const http::Request& request, const ResponderPtr& responder);
  void on_delete(const http::Request& request, const ResponderPtr& responder);

  void on_request(Post post);
  void on_other(Post post);
  void on_initialize(Post post);
  void on_modern(Post post);
  void on_batch(Post post);
  // The session that a request names; answers itself and returns nullptr when there is none.
  std::shared_ptr<HttpSession> session_of(const http::Request& request,
                                          const ResponderPtr& responder, const json::Value& id);
  std::shared_ptr<PostAnswer> make_answer(const Post& post);

  net::Reactor& reactor_;
  mcp::Engine& engine_;
  SessionTable& sessions_;
  StreamBudget& streams_;
  StreamableHttpOptions options_;
};

}  // namespace cmcp::transport
