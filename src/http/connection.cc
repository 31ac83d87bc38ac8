#include "http/connection.h"

#include <algorithm>

namespace cmcp::http {

namespace {

// What a client may send ahead while its request is answered; then it is not read any more.
constexpr std::size_t kMaxSentAhead = 64 * 1024;

std::chrono::system_clock::time_point wall_clock() {
  return std::chrono::system_clock::now();
}

}  // namespace

class ConnectionResponder : public Responder {
 public:
  ConnectionResponder(std::weak_ptr<HttpConnection> connection, net::Reactor& reactor,
                      std::uint64_t serial)
      : connection_(std::move(connection)), reactor_(reactor), serial_(serial) {}

  ~ConnectionResponder() override {
    if (const auto connection = live()) {
      if (connection->phase_ == HttpConnection::Phase::kStreaming) {
        connection->end_sse();
      } else {
        connection->refuse(500, "the request was not answered; this is a defect of the server");
      }
    }
  }

  void respond(Response response) override {
    if (const auto connection = live(); connection && !streaming()) connection->respond(response);
  }
  void begin_sse(Headers extra) override {
    if (const auto connection = live(); connection && !streaming()) connection->begin_sse(extra);
  }
  void send_event(std::string_view event, std::string_view data) override {
    send(write_sse_event(event, data));
  }
  void send_comment(std::string_view text) override { send(write_sse_comment(text)); }
  void send_retry(std::chrono::milliseconds after) override {
    send("retry: " + std::to_string(after.count()) + "\n\n");
  }
  void end_sse() override {
    if (const auto connection = live(); connection && streaming()) connection->end_sse();
  }
  bool streaming() const override {
    const auto connection = live();
    return connection && connection->phase_ == HttpConnection::Phase::kStreaming;
  }
  bool pending() const override { return live() != nullptr; }

  void on_disconnect(std::function<void()> task) override {
    if (const auto connection = live()) {
      connection->on_disconnect_ = std::move(task);
    } else if (!completed()) {
      reactor_.post(std::move(task));
    }
  }

 private:
  std::shared_ptr<HttpConnection> live() const {
    auto connection = connection_.lock();
    return connection && connection->serves(serial_) ? connection : nullptr;
  }
  // Answered in full on a connection that lives on; otherwise a dead request means a client that
  // went away.
  bool completed() const {
    const auto connection = connection_.lock();
    return connection && !connection->closed_;
  }
  void send(const std::string& block) {
    if (const auto connection = live(); connection && streaming()) connection->send_sse(block);
  }

  std::weak_ptr<HttpConnection> connection_;
  net::Reactor& reactor_;
  std::uint64_t serial_;
};

HttpConnection::HttpConnection(net::Reactor& reactor, ConnectionHost& host, Fd socket,
                               net::Peer peer)
    : reactor_(reactor),
      host_(&host),
      peer_(std::move(peer)),
      stream_(reactor, std::move(socket), host.options().stream,
              {[this](std::string_view bytes) { on_data(bytes); }, [this] { on_end_of_input(); },
               [this] { on_closed(); }}),
      parser_(host.options().limits),
      timer_(reactor) {}

void HttpConnection::start() {
  stream_.start();
  // A client that connects and says nothing is held to the time for a header.
  enter(Phase::kHeader);
}

void HttpConnection::turn_away(Response response) {
  answer_directly(response, Connection::kClose);
}

void HttpConnection::drain() {
  draining_ = true;
  if (phase_ == Phase::kStreaming) {
    end_sse();
  } else if (phase_ != Phase::kAnswering) {
    enter(Phase::kEnding);
    stream_.finish();
  }
}

void HttpConnection::drop() {
  host_ = nullptr;
  closed_ = true;
  timer_.cancel();
  stream_.abort();
  on_disconnect_ = nullptr;
}

void HttpConnection::on_data(std::string_view bytes) {
  const auto self = shared_from_this();
  if (closed_ || phase_ == Phase::kEnding) return;
  parser_.feed(bytes);
  if (phase_ == Phase::kBody) set_deadline(host_->options().timeouts.body_idle);
  pump();
  const bool answering = phase_ == Phase::kAnswering || phase_ == Phase::kStreaming;
  if (answering && parser_.buffered_bytes() > kMaxSentAhead) stream_.pause_reading();
}

// The client sends no more. It may still read, or be gone: what is written now makes the difference
// visible, because a peer that is gone answers with a reset. An interim response is harmless to
// every client that waits for an answer.
void HttpConnection::on_end_of_input() {
  const auto self = shared_from_this();
  input_ended_ = true;
  if (phase_ == Phase::kStreaming) {
    send_sse(write_sse_comment("still here"));
  } else if (phase_ == Phase::kAnswering) {
    if (minor_version_ >= 1) stream_.write("HTTP/1.1 100 Continue\r\n\r\n");
  } else {
    end_after_input();
  }
}

void HttpConnection::on_closed() {
  const auto self = shared_from_this();
  closed_ = true;
  timer_.cancel();
  if (const auto task = std::exchange(on_disconnect_, nullptr)) task();
  if (host_ != nullptr) host_->connection_closed(this);
}

void HttpConnection::pump() {
  if (pumping_) return;  // an answer given inside dispatch(): the loop below goes on
  pumping_ = true;
  const auto self = shared_from_this();
  while (pump_once()) {
  }
  pumping_ = false;
  if (input_ended_) end_after_input();
}

// Nothing more can come: what is not a whole request by now never will be one.
void HttpConnection::end_after_input() {
  if (closed_ || host_ == nullptr) return;
  if (phase_ == Phase::kAnswering || phase_ == Phase::kStreaming || phase_ == Phase::kEnding)
    return;
  if (parser_.state() == RequestParser::State::kIdle) {
    enter(Phase::kEnding);
    return stream_.finish();
  }
  refuse(400, "the request ended before it was complete");
}

// One step with the bytes at hand. False when more bytes, an answer, or nothing is awaited.
bool HttpConnection::pump_once() {
  if (closed_ || host_ == nullptr || !stream_.open()) return false;
  if (phase_ == Phase::kAnswering || phase_ == Phase::kStreaming || phase_ == Phase::kEnding)
    return false;
  switch (parser_.advance()) {
    case RequestParser::State::kIdle:
      return false;
    case RequestParser::State::kHeader:
      if (phase_ != Phase::kHeader) enter(Phase::kHeader);
      return false;
    case RequestParser::State::kBody:
      if (gated_) return false;
      if (!pass_gate()) return false;
      enter(Phase::kBody);
      if (parser_.expects_continue() && parser_.buffered_bytes() == 0) {
        stream_.write("HTTP/1.1 100 Continue\r\n\r\n");
      }
      return true;
    case RequestParser::State::kComplete:
      if (!gated_ && !pass_gate()) return phase_ != Phase::kEnding;
      begin_answer();
      return true;
    case RequestParser::State::kError:
      refuse(parser_.error_status(), parser_.error_message());
      return false;
  }
  return false;
}

// Guards and authentication see the header before the body is waited for. False when the request
// was refused.
bool HttpConnection::pass_gate() {
  Request& request = parser_.request();
  request.peer_loopback = peer_.loopback;
  request.peer_address = peer_.address;
  minor_version_ = request.minor_version;
  keep_alive_ = parser_.keep_alive();
  head_request_ = request.method == "HEAD";
  cors_ = Headers();
  const std::optional<Response> refused = host_->gate(request);
  const bool foreign = refused && refused->status == 403;
  if (!foreign) cors_ = Guards::cors_headers(request);
  if (!refused) {
    gated_ = true;
    return true;
  }
  const bool whole = parser_.state() == RequestParser::State::kComplete;
  if (whole) parser_.take();
  answer_directly(*refused, whole ? connection_after() : Connection::kClose);
  return false;
}

void HttpConnection::begin_answer() {
  gated_ = false;
  ++serial_;
  enter(Phase::kAnswering);
  auto responder = std::make_shared<ConnectionResponder>(weak_from_this(), reactor_, serial_);
  host_->dispatch(parser_.take(), std::move(responder));
}

Connection HttpConnection::connection_after() const {
  const bool more_may_come = !input_ended_ || parser_.buffered_bytes() > 0;
  return keep_alive_ && !draining_ && more_may_come ? Connection::kKeepAlive : Connection::kClose;
}

void HttpConnection::answer_directly(const Response& response, Connection after) {
  stream_.write(write_response(response, cors_, minor_version_, after,
                               head_request_ ? Body::kOmit : Body::kSend, wall_clock()));
  complete_answer(after);
}

void HttpConnection::complete_answer(Connection after) {
  ++serial_;
  on_disconnect_ = nullptr;
  head_request_ = false;
  cors_ = Headers();
  if (after == Connection::kClose) {
    enter(Phase::kEnding);
    stream_.finish();
    return;
  }
  enter(Phase::kIdle);
  stream_.resume_reading();
  pump();
}

void HttpConnection::refuse(int status, const std::string& message) {
  if (host_ == nullptr) return;
  const std::string path = parser_.request().path;
  const Response response = host_->options().error_response(path, status, message);
  answer_directly(response, status == 500 ? connection_after() : Connection::kClose);
}

bool HttpConnection::serves(std::uint64_t serial) const {
  return !closed_ && serial == serial_ &&
         (phase_ == Phase::kAnswering || phase_ == Phase::kStreaming);
}

void HttpConnection::respond(const Response& response) {
  answer_directly(response, connection_after());
}

void HttpConnection::begin_sse(const Headers& extra) {
  Headers headers = extra;
  for (const auto& [name, value] : cors_.all()) headers.add(name, value);
  stream_.write(write_sse_head(headers, minor_version_, connection_after(), wall_clock()));
  enter(Phase::kStreaming);
}

void HttpConnection::send_sse(const std::string& block) {
  stream_.write(minor_version_ >= 1 ? write_chunk(block) : block);
  set_deadline(host_->options().timeouts.keep_alive_comment);
}

void HttpConnection::end_sse() {
  if (minor_version_ >= 1) stream_.write(std::string(kLastChunk));
  complete_answer(minor_version_ >= 1 ? connection_after() : Connection::kClose);
}

void HttpConnection::enter(Phase phase) {
  phase_ = phase;
  if (host_ == nullptr) return;
  const ServerTimeouts& timeouts = host_->options().timeouts;
  switch (phase) {
    case Phase::kIdle:
      return set_deadline(timeouts.idle);
    case Phase::kHeader:
      return set_deadline(timeouts.header);
    case Phase::kBody:
      body_deadline_ = Clock::now() + timeouts.body_total;
      return set_deadline(timeouts.body_idle);
    case Phase::kStreaming:
      return set_deadline(timeouts.keep_alive_comment);
    case Phase::kAnswering:
    case Phase::kEnding:
      return;  // the timer may still fire, and finds nothing to do
  }
}

// Deadlines move with every request; the timer underneath is restarted only when it would fire too
// late.
void HttpConnection::set_deadline(std::chrono::milliseconds after) {
  deadline_ = Clock::now() + after;
  if (timer_running_ && timer_at_ <= deadline_) return;
  timer_running_ = true;
  timer_at_ = deadline_;
  timer_.start(after, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->on_timer();
  });
}

void HttpConnection::on_timer() {
  timer_running_ = false;
  if (closed_ || host_ == nullptr || phase_ == Phase::kAnswering || phase_ == Phase::kEnding)
    return;
  const auto now = Clock::now();
  const bool body_over = phase_ == Phase::kBody && now >= body_deadline_;
  if (now >= deadline_ || body_over) return on_deadline();
  auto next = deadline_;
  if (phase_ == Phase::kBody) next = std::min(next, body_deadline_);
  timer_running_ = true;
  timer_at_ = next;
  timer_.start(std::chrono::ceil<std::chrono::milliseconds>(next - now), [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->on_timer();
  });
}

void HttpConnection::on_deadline() {
  switch (phase_) {
    case Phase::kIdle:
      enter(Phase::kEnding);
      return stream_.finish();
    case Phase::kHeader:
      if (parser_.state() == RequestParser::State::kIdle) {
        enter(Phase::kEnding);
        return stream_.finish();
      }
      return refuse(408, "the header of the request did not arrive in time");
    case Phase::kBody:
      return refuse(408, "the body of the request did not arrive in time");
    case Phase::kStreaming:
      return send_sse(write_sse_comment("keep-alive"));
    case Phase::kAnswering:
    case Phase::kEnding:
      return;
  }
}

}  // namespace cmcp::http
