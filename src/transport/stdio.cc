#include "transport/stdio.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/strings.h"
#include "mcp/jsonrpc.h"
#include "transport/batch.h"
#include "transport/line_splitter.h"
#include "transport/output_queue.h"

namespace cmcp::transport {
namespace {

constexpr std::size_t kReadBytes = 64U << 10U;

Error system_error(const std::string& what) {
  const int code = errno;
  return {ErrorCode::kIo, what + " failed: " + std::generic_category().message(code), code};
}

// What a peer sees of our flags lasts longer than this process: the event loop makes descriptors
// non-blocking, and a shell that finds its terminal so misbehaves.
class FlagsRestorer {
 public:
  explicit FlagsRestorer(int fd) : fd_(fd), flags_(::fcntl(fd, F_GETFL)) {}
  FlagsRestorer(const FlagsRestorer&) = delete;
  FlagsRestorer& operator=(const FlagsRestorer&) = delete;
  ~FlagsRestorer() {
    if (flags_ >= 0) ::fcntl(fd_, F_SETFL, flags_);
  }

 private:
  int fd_;
  int flags_;
};

}  // namespace

Result<StdioChannel> take_standard_streams() {
  StdioChannel channel;
  channel.in.reset(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!channel.in) return system_error("standard input is not open: duplicating it");
  channel.out.reset(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!channel.out) return system_error("standard output is not open: duplicating it");
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null) return system_error("opening /dev/null");
  if (::dup2(null.get(), STDIN_FILENO) < 0) return system_error("replacing standard input");
  const bool has_stderr = ::fcntl(STDERR_FILENO, F_GETFD) >= 0;
  if (::dup2(has_stderr ? STDERR_FILENO : null.get(), STDOUT_FILENO) < 0) {
    return system_error("replacing standard output");
  }
  return channel;
}

// All state of the connection; what the engine and the reactor hold refers to it weakly.
struct Stdio::Connection : std::enable_shared_from_this<Connection> {
  Connection(net::Reactor& loop, mcp::Engine& protocol, const auth::Principal& client,
             StdioChannel streams, const StdioOptions& limits, std::function<void()> when_finished);

  void read_more();
  void end_input();
  void line(std::string_view text);
  void message(const json::Value& value, const ReplySink& reply);
  void request(const json::Value& value, const json::Value& id, const ReplySink& reply);
  void notice(const json::Value& value, const mcp::Message& parsed);
  void batch(const json::Array& messages);
  void send(const json::Value& value);
  void send_error(int code, const std::string& text);
  void settled(const std::string& key);
  void cancel_all();
  void flush_and_finish();
  void finish();

  net::Reactor& reactor;
  mcp::Engine& engine;
  StdioOptions options;
  std::function<void()> finished;
  StdioChannel channel;
  FlagsRestorer in_flags;
  FlagsRestorer out_flags;
  std::shared_ptr<mcp::Session> session;
  LineSplitter splitter;
  OutputQueue output;
  net::FdWatch input;
  net::Timer timer;
  // Requests without an answer yet, of both eras; the token of the modern ones.
  std::map<std::string, std::shared_ptr<void>> pending;
  bool input_ended = false;
  bool flushing = false;
  bool done = false;
};

namespace {

// Where the messages that belong to one request go. `on_settled` runs after the reply.
class StdioExchange : public mcp::Exchange {
 public:
  StdioExchange(std::function<void(const json::Value&)> notify, std::function<void()> on_settled,
                ReplySink reply)
      : notify_(std::move(notify)), on_settled_(std::move(on_settled)), reply_(std::move(reply)) {}
  void notify(const json::Value& message) override { notify_(message); }
  void respond(json::Value response, int /*http_status*/) override {
    reply_(std::move(response));
    on_settled_();
  }
  void abandon() override {
    reply_(std::nullopt);
    on_settled_();
  }

 private:
  std::function<void(const json::Value&)> notify_;
  std::function<void()> on_settled_;
  ReplySink reply_;
};

}  // namespace

Stdio::Connection::Connection(net::Reactor& loop, mcp::Engine& protocol,
                              const auth::Principal& client, StdioChannel streams,
                              const StdioOptions& limits, std::function<void()> when_finished)
    : reactor(loop),
      engine(protocol),
      options(limits),
      finished(std::move(when_finished)),
      channel(std::move(streams)),
      in_flags(channel.in.get()),
      out_flags(channel.out.get()),
      session(std::make_shared<mcp::Session>()),
      splitter(limits.max_message_bytes, {[this](std::string_view text) { line(text); },
                                          [this] {
                                            send_error(
                                                mcp::rpc::kInvalidRequest,
                                                "Invalid request: a message of more than " +
                                                    std::to_string(options.max_message_bytes) +
                                                    " bytes was skipped; send less in one message "
                                                    "(the limit is MCP_MAX_BODY_MB).");
                                          }}),
      output(loop, channel.out.get(), limits.max_queued_bytes,
             {[this] {
                if (flushing) finish();
              },
              [this](const std::string& reason) {
                log::warning("stdio: the client is gone", {{"reason", reason}});
                cancel_all();
                finish();
              }}),
      input(loop, channel.in.get()),
      timer(loop) {
  session->principal = client;
  session->transport = "stdio";
}

void Stdio::Connection::read_more() {
  input.on_readable([weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self || self->input_ended) return;
    std::array<char, kReadBytes> buffer;
    const ssize_t count = ::read(self->channel.in.get(), buffer.data(), buffer.size());
    if (count > 0) {
      self->splitter.feed({buffer.data(), static_cast<std::size_t>(count)});
    } else if (count == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
      self->end_input();
      return;
    }
    if (!self->input_ended) self->read_more();
  });
}

// Calls that are nearly done may still answer: `printf … | container-mcp --stdio` is a way to use
// the server.
void Stdio::Connection::end_input() {
  splitter.finish();
  input_ended = true;
  if (pending.empty()) return flush_and_finish();
  timer.start(options.grace, [this] {
    cancel_all();
    flush_and_finish();
  });
}

void Stdio::Connection::line(std::string_view text) {
  if (done || strip(text).empty()) return;
  json::Limits limits;
  limits.max_bytes = options.max_message_bytes;
  const Result<json::Value> value = json::parse(text, limits);
  if (!value.ok()) {
    send_error(mcp::rpc::kParseError, "Parse error: " + value.error().message());
    return;
  }
  if (const json::Array* array = value->if_array()) return batch(*array);
  message(value.value(), [this](std::optional<json::Value> reply) {
    if (reply) send(*reply);
  });
}

void Stdio::Connection::batch(const json::Array& messages) {
  if (const Status allowed = check_batch(messages, session->revision); !allowed.ok()) {
    send_error(mcp::rpc::kInvalidRequest, allowed.error().message());
    return;
  }
  const auto replies =
      std::make_shared<BatchReplies>([weak = weak_from_this()](std::optional<json::Value> reply) {
        const auto self = weak.lock();
        if (self && reply) self->send(*reply);
      });
  for (const json::Value& item : messages) message(item, replies->expect());
  replies->close();
}

void Stdio::Connection::message(const json::Value& value, const ReplySink& reply) {
  const mcp::Message parsed = mcp::classify(value);
  switch (parsed.kind) {
    case mcp::MessageKind::kRequest:
      request(value, parsed.id, reply);
      return;
    case mcp::MessageKind::kInvalid:
      reply(mcp::Engine::error_response(parsed.id, parsed.error_code, parsed.problem));
      return;
    case mcp::MessageKind::kNotification:
    case mcp::MessageKind::kResponse:
      notice(value, parsed);
      reply(std::nullopt);
      return;
  }
}

void Stdio::Connection::request(const json::Value& value, const json::Value& id,
                                const ReplySink& reply) {
  const std::string key = mcp::id_key(id);
  // Both eras share the one stream, so an id may be in use in one of them only.
  if (!pending.try_emplace(key, nullptr).second) {
    reply(mcp::Engine::error_response(
        id, mcp::rpc::kInvalidRequest,
        "Invalid request: a request with this id is still in progress; use a new id."));
    return;
  }
  const auto weak = weak_from_this();
  const auto exchange = std::make_shared<StdioExchange>(
      [weak](const json::Value& notification) {
        if (const auto self = weak.lock()) self->send(notification);
      },
      [weak, key] {
        if (const auto self = weak.lock()) self->settled(key);
      },
      [weak, reply](std::optional<json::Value> answer) {
        if (const auto self = weak.lock()) reply(std::move(answer));
      });
  if (!mcp::Engine::has_modern_claim(value)) {
    engine.receive(session, value, exchange);
    return;
  }
  const std::shared_ptr<void> token =
      engine.receive_modern(session->principal, session->transport, value, nullptr, exchange);
  const auto entry = pending.find(key);
  if (token && entry != pending.end()) entry->second = token;
}

void Stdio::Connection::notice(const json::Value& value, const mcp::Message& parsed) {
  if (parsed.method == "notifications/cancelled" && parsed.params != nullptr) {
    const json::Value* id = json::find(*parsed.params, "requestId");
    const auto entry = id == nullptr ? pending.end() : pending.find(mcp::id_key(*id));
    if (entry != pending.end() && entry->second) {
      const std::shared_ptr<void> token = entry->second;
      engine.cancel(token);
      return;
    }
  }
  // Nothing is called on the exchange for these.
  engine.receive(session, value, nullptr);
}

void Stdio::Connection::send(const json::Value& value) {
  if (done) return;
  std::string text = json::write(value);
  text += '\n';
  output.write(std::move(text));
}

void Stdio::Connection::send_error(int code, const std::string& text) {
  send(mcp::Engine::error_response(nullptr, code, text));
}

void Stdio::Connection::settled(const std::string& key) {
  pending.erase(key);
  if (input_ended && pending.empty() && !flushing && !done) flush_and_finish();
}

void Stdio::Connection::cancel_all() {
  std::vector<std::shared_ptr<void>> tokens;
  for (const auto& [key, token] : pending) {
    if (token) tokens.push_back(token);
  }
  for (const auto& token : tokens) engine.cancel(token);
  engine.close(session);
}

void Stdio::Connection::flush_and_finish() {
  if (done || flushing) return;
  if (output.empty()) return finish();
  flushing = true;
  timer.start(options.flush, [this] { finish(); });
}

void Stdio::Connection::finish() {
  if (std::exchange(done, true)) return;
  input_ended = true;
  timer.cancel();
  reactor.post([weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self && self->finished) std::exchange(self->finished, nullptr)();
  });
}

Stdio::Stdio(net::Reactor& reactor, mcp::Engine& engine, const auth::Principal& principal,
             StdioChannel channel, const StdioOptions& options, std::function<void()> finished)
    : connection_(std::make_shared<Connection>(reactor, engine, principal, std::move(channel),
                                               options, std::move(finished))) {
  // A client that is gone is an error of write(), not the end of the process.
  std::signal(SIGPIPE, SIG_IGN);
}

Stdio::~Stdio() {
  if (std::exchange(connection_->done, true)) return;
  connection_->input_ended = true;
  connection_->cancel_all();
}

void Stdio::start() {
  connection_->read_more();
}

void Stdio::stop() {
  connection_->input_ended = true;
  connection_->cancel_all();
  connection_->flush_and_finish();
}

}  // namespace cmcp::transport
