// LegacySse: the HTTP+SSE transport of 2024-11-05: GET /sse is the session and carries every
// answer, POST /messages/ takes the client's messages. The session and its calls end with the
// stream.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "http/router.h"
#include "json/json.h"
#include "mcp/engine.h"
#include "transport/stream_budget.h"

namespace cmcp::transport {

class LegacySse {
 public:
  // Everything passed in outlives this object and the http::Server with its routes.
  LegacySse(mcp::Engine& engine, StreamBudget& streams, json::Limits limits);

  // GET /sse, POST /messages/ and /messages.
  void add_routes(http::Router& router);
  std::size_t sessions() const { return sessions_.size(); }

 private:
  using ResponderPtr = std::shared_ptr<http::Responder>;
  struct SseSession {
    std::shared_ptr<mcp::Session> session;
    ResponderPtr stream;
    std::shared_ptr<void> slot;
  };
  class StreamExchange;

  void on_get(const http::Request& request, const ResponderPtr& responder);
  void on_post(const http::Request& request, const ResponderPtr& responder);
  void on_batch(const std::shared_ptr<SseSession>& session, json::Array& batch,
                const ResponderPtr& responder);
  void stream_closed(const std::string& id);

  mcp::Engine& engine_;
  StreamBudget& streams_;
  json::Limits limits_;
  std::unordered_map<std::string, std::shared_ptr<SseSession>> sessions_;
};

}  // namespace cmcp::transport
