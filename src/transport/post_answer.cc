#include "transport/post_answer.h"

#include "base/strings.h"

namespace cmcp::transport {

Accepted accepted_forms(const http::Request& request) {
  Accepted accepted{false, false};
  for (const auto& [name, value] : request.headers.all()) {
    if (!equals_ignore_case(name, "accept")) continue;
    for (const std::string& item : split_list(value)) {
      const std::vector<std::string> parts = split(item, ';');
      const std::string type = to_lower(strip(parts.front()));
      bool refused = false;
      for (const std::string& part : parts) {
        const std::string parameter = to_lower(strip(part));
        refused = refused || parameter == "q=0" || parameter == "q=0.0";
      }
      if (refused) continue;
      if (type == "application/json" || type == "application/*" || type == "*/*")
        accepted.json = true;
      if (type == "text/event-stream" || type == "text/*") accepted.events = true;
    }
  }
  if (!accepted.events) accepted.json = true;
  return accepted;
}

PostAnswer::PostAnswer(net::Reactor& reactor, StreamBudget& budget,
                       std::shared_ptr<http::Responder> responder, Accepted accepted)
    : reactor_(reactor), budget_(budget), responder_(std::move(responder)), accepted_(accepted) {}

void PostAnswer::expect_batch(std::size_t responses) {
  batch_ = true;
  remaining_ = responses;
}

void PostAnswer::stream_after(std::chrono::milliseconds delay) {
  if (!accepted_.events || !pending() || responder_->streaming()) return;
  timer_.emplace(reactor_);
  timer_->start(delay, [weak = weak_from_this()] {
    if (const auto self = weak.lock(); self && self->pending()) self->begin_stream();
  });
}

// False when this answer has to go without a stream.
bool PostAnswer::begin_stream() {
  if (responder_->streaming()) return true;
  if (!accepted_.events || !responder_->pending()) return false;
  slot_ = budget_.take();
  // Without a free place the client waits for plain JSON, if it takes that.
  if (!slot_ && accepted_.json) return false;
  responder_->begin_sse(headers_);
  return true;
}

void PostAnswer::notify(const json::Value& message) {
  if (pending() && begin_stream()) responder_->send_event("message", json::write(message));
}

void PostAnswer::respond(json::Value response, int http_status) {
  if (!pending()) return;
  if (hook_) hook_(response, headers_);
  if (batch_) return respond_in_batch(std::move(response));
  --remaining_;
  const bool only_events = !accepted_.json && http_status == 200;
  if (responder_->streaming() || (only_events && begin_stream())) {
    responder_->send_event("message", json::write(response));
    responder_->end_sse();
  } else {
    http::Response answer = http::Response::json(http_status, json::write(response));
    for (const auto& [name, value] : headers_.all()) answer.headers.add(name, value);
    responder_->respond(std::move(answer));
  }
  finish();
}

void PostAnswer::respond_in_batch(json::Value response) {
  if (responder_->streaming()) {
    responder_->send_event("message", json::write(response));
  } else {
    collected_.push_back(std::move(response));
  }
  if (--remaining_ == 0) abandon();
}

// Also the end of a batch: what was answered is sent, what was cancelled is left out.
void PostAnswer::abandon() {
  if (remaining_ > 0) --remaining_;
  if (remaining_ > 0) return;
  if (responder_->streaming() || ((collected_.empty() || !accepted_.json) && begin_stream())) {
    for (const json::Value& response : collected_) {
      responder_->send_event("message", json::write(response));
    }
    responder_->end_sse();
  } else if (!collected_.empty()) {
    responder_->respond(http::Response::json(200, json::write(collected_)));
  } else {
    responder_->respond(http::Response::empty(204));
  }
  finish();
}

void PostAnswer::finish() {
  timer_.reset();
  slot_.reset();
  session_.reset();
  hook_ = nullptr;
}

}  // namespace cmcp::transport
