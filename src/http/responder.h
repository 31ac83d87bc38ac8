// Responder: where the answer to one request goes: one response, or a stream of server-sent events.
// It outlives its connection: calls on a connection that is gone do nothing. Reactor thread only.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string_view>

#include "http/message.h"

namespace cmcp::http {

class Responder {
 public:
  // Destroyed without an answer: 500, or the end of the stream.
  virtual ~Responder() = default;

  // The answer; at most once, and not after begin_sse().
  virtual void respond(Response response) = 0;

  // 200 text/event-stream with `extra` headers, sent at once. Comments keep it alive while nothing
  // is sent.
  virtual void begin_sse(Headers extra) = 0;
  // One event. Line ends in `data` become several data lines; `event` has none.
  virtual void send_event(std::string_view event, std::string_view data) = 0;
  virtual void send_comment(std::string_view text) = 0;
  // Tells the client how long to wait before it connects again.
  virtual void send_retry(std::chrono::milliseconds after) = 0;
  virtual void end_sse() = 0;

  virtual bool streaming() const = 0;
  // False once answered in full or the client is gone.
  virtual bool pending() const = 0;
  // `task` runs once when the client goes away before the answer is complete, at once (posted) when
  // it is gone already. Dropped when the answer is complete.
  virtual void on_disconnect(std::function<void()> task) = 0;
};

using Handler = std::function<void(Request, std::shared_ptr<Responder>)>;

}  // namespace cmcp::http
