// HttpConnection: one accepted connection: parser in front, one request at a time in order, its
// answer, deadlines. Private to the room; server.cc owns these.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "http/request_parser.h"
#include "http/responder.h"
#include "http/response_writer.h"
#include "http/server.h"
#include "net/listener.h"

namespace cmcp::http {

// What a connection needs of its server.
class ConnectionHost {
 public:
  virtual ~ConnectionHost() = default;
  virtual const ServerOptions& options() const = 0;
  // Checks a request whose header is complete. An answer: the request is refused with it. Fills the
  // principal in.
  virtual std::optional<Response> gate(Request& request) = 0;
  virtual void dispatch(Request request, std::shared_ptr<Responder> responder) = 0;
  virtual void connection_closed(class HttpConnection* connection) = 0;
};

class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(net::Reactor& reactor, ConnectionHost& host, Fd socket, net::Peer peer);

  void start();
  // Answers with `response` whatever is asked, and ends: the server is full.
  void turn_away(Response response);
  // Ends when nothing is being answered; else after the running answer. Event streams end now.
  void drain();
  // Ends now, without telling the server.
  void drop();

 private:
  friend class ConnectionResponder;
  using Clock = std::chrono::steady_clock;
  enum class Phase { kIdle, kHeader, kBody, kAnswering, kStreaming, kEnding };

  void on_data(std::string_view bytes);
  void on_end_of_input();
  void on_closed();
  void pump();
  void end_after_input();
  bool pump_once();
  bool pass_gate();
  void answer_directly(const Response& response, Connection after);
  void begin_answer();
  void complete_answer(Connection after);
  void enter(Phase phase);
  void set_deadline(std::chrono::milliseconds after);
  void on_timer();
  void on_deadline();
  void refuse(int status, const std::string& message);
  Connection connection_after() const;

  // For the responder of request number `serial`.
  bool serves(std::uint64_t serial) const;
  void respond(const Response& response);
  void begin_sse(const Headers& extra);
  void send_sse(const std::string& block);
  void end_sse();

  net::Reactor& reactor_;
  ConnectionHost* host_;
  net::Peer peer_;
  net::Stream stream_;
  RequestParser parser_;
  net::Timer timer_;
  bool timer_running_ = false;
  Clock::time_point timer_at_;
  Clock::time_point deadline_;
  Clock::time_point body_deadline_;
  Phase phase_ = Phase::kIdle;
  std::uint64_t serial_ = 0;
  bool gated_ = false;
  bool pumping_ = false;
  bool input_ended_ = false;
  bool draining_ = false;
  bool closed_ = false;
  // Of the request that is being answered.
  int minor_version_ = 1;
  bool keep_alive_ = true;
  bool head_request_ = false;
  Headers cors_;
  std::function<void()> on_disconnect_;
};

}  // namespace cmcp::http
