// PostAnswer: the answer to one POST on /mcp as the engine's Exchange: one JSON object, an array
// for a batch, or an event stream, whichever the client accepts and the call needs. A stream begins
// with the first notification or when the answer takes a while, so that headers and keep-alive
// comments reach the client.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "http/responder.h"
#include "mcp/engine.h"
#include "net/reactor.h"
#include "transport/session_table.h"
#include "transport/stream_budget.h"

namespace cmcp::transport {

// What the Accept header allows. Lenient: a client that names neither form gets JSON.
struct Accepted {
  bool json = true;
  bool events = false;
};
Accepted accepted_forms(const http::Request& request);

class PostAnswer : public mcp::Exchange, public std::enable_shared_from_this<PostAnswer> {
 public:
  PostAnswer(net::Reactor& reactor, StreamBudget& budget,
             std::shared_ptr<http::Responder> responder, Accepted accepted);

  // Called with a response before it is sent; may add headers.
  void before_response(
      std::function<void(const json::Value& response, http::Headers& headers)> hook) {
    hook_ = std::move(hook);
  }
  // The session counts as in use while this lives.
  void hold(std::shared_ptr<HttpSession> session) { session_ = std::move(session); }
  // Several responses are awaited and sent as one array or as events.
  void expect_batch(std::size_t responses);
  // Begins the stream if there is no answer after this time. Nothing for a client that takes JSON
  // alone.
  void stream_after(std::chrono::milliseconds delay);
  bool pending() const { return remaining_ > 0; }

  void notify(const json::Value& message) override;
  void respond(json::Value response, int http_status) override;
  void abandon() override;

 private:
  bool begin_stream();
  void respond_in_batch(json::Value response);
  void finish();

  net::Reactor& reactor_;
  StreamBudget& budget_;
  std::shared_ptr<http::Responder> responder_;
  Accepted accepted_;
  std::optional<net::Timer> timer_;  // only where the answer was not there at once
  std::function<void(const json::Value&, http::Headers&)> hook_;
  std::shared_ptr<HttpSession> session_;
  std::shared_ptr<void> slot_;
  http::Headers headers_;
  std::size_t remaining_ = 1;
  bool batch_ = false;
  json::Array collected_;
};

}  // namespace cmcp::transport
