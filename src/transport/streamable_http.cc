#include "transport/streamable_http.h"

#include <algorithm>
#include <string>

#include "base/strings.h"
#include "transport/batch.h"
#include "transport/http_errors.h"

namespace cmcp::transport {

namespace {

constexpr int kParseError = -32700;
constexpr int kInvalidRequest = -32600;
constexpr int kHeaderMismatch = -32020;
constexpr std::string_view kSessionHeader = "Mcp-Session-Id";
constexpr std::string_view kVersionHeader = "MCP-Protocol-Version";
constexpr std::string_view kPrimingFrom = "2025-11-25";

// For notifications and responses: the engine answers these only when they are malformed.
class OnlyErrors : public mcp::Exchange {
 public:
  void notify(const json::Value&) override {}
  void respond(json::Value response, int) override { error = std::move(response); }
  void abandon() override {}
  std::optional<json::Value> error;
};

std::optional<std::string> header_text(const http::Request& request, std::string_view name) {
  const auto value = request.headers.find(name);
  if (!value) return std::nullopt;
  return std::string(strip(*value));
}

bool is_json(const http::Request& request) {
  const auto type = request.headers.find("Content-Type");
  if (!type) return false;
  return equals_ignore_case(strip(type->substr(0, type->find(';'))), "application/json");
}

// The id to echo in an error of the transport: null where the message has none that can be one.
json::Value id_of(const json::Value& message) {
  const json::Value* id = json::find(message, "id");
  return id != nullptr && (id->is_string() || id->is_number()) ? *id : json::Value();
}

mcp::ModernHeaders modern_headers(const http::Request& request) {
  mcp::ModernHeaders headers;
  headers.protocol_version = header_text(request, kVersionHeader);
  headers.method = header_text(request, "Mcp-Method");
  headers.name = header_text(request, "Mcp-Name");
  headers.duplicated = request.headers.count(kVersionHeader) > 1 ||
                       request.headers.count("Mcp-Method") > 1 ||
                       request.headers.count("Mcp-Name") > 1;
  return headers;
}

bool names_modern_version(const http::Request& request) {
  return header_text(request, kVersionHeader) == mcp::kModernRevision;
}

}  // namespace

struct StreamableHttp::Post {
  http::Request request;
  ResponderPtr responder;
  json::Value message;
};

StreamableHttp::StreamableHttp(net::Reactor& reactor, mcp::Engine& engine, SessionTable& sessions,
                               StreamBudget& streams, StreamableHttpOptions options)
    : reactor_(reactor),
      engine_(engine),
      sessions_(sessions),
      streams_(streams),
      options_(std::move(options)) {}

void StreamableHttp::add_routes(http::Router& router) {
  for (const std::string& path : {std::string(kMcpPath), std::string(kMcpPath) + "/"}) {
    router.add({"POST", path, http::Access::kAuthenticated, false,
                [this](http::Request request, ResponderPtr responder) {
                  on_post(std::move(request), std::move(responder));
                }});
    router.add({"GET", path, http::Access::kAuthenticated, false,
                [this](const http::Request& request, const ResponderPtr& responder) {
                  on_get(request, responder);
                }});
    router.add({"DELETE", path, http::Access::kAuthenticated, false,
                [this](const http::Request& request, const ResponderPtr& responder) {
                  on_delete(request, responder);
                }});
  }
}

std::shared_ptr<HttpSession> StreamableHttp::session_of(const http::Request& request,
                                                        const ResponderPtr& responder,
                                                        const json::Value& id) {
  const std::optional<std::string> name = header_text(request, kSessionHeader);
  if (!name || name->empty() || request.headers.count(kSessionHeader) > 1) {
    responder->respond(rpc_error(
        400, kTransportRefusal,
        "Bad Request: one Mcp-Session-Id header is needed; send initialize first, then its "
        "Mcp-Session-Id with every request",
        id));
    return nullptr;
  }
  auto session = sessions_.find(*name, request.principal);
  if (!session) {
    responder->respond(rpc_error(
        404, kSessionNotFound,
        "Session not found: it has ended or never was; send initialize to begin a new one", id));
    return nullptr;
  }
  const std::optional<std::string> version = header_text(request, kVersionHeader);
  if (version && !mcp::is_legacy_revision(*version)) {
    responder->respond(rpc_error(
        400, kTransportRefusal,
        "Bad Request: unsupported protocol version in MCP-Protocol-Version: " +
            printable(*version, 40) + "; this session speaks " + session->session->revision,
        id));
    return nullptr;
  }
  return session;
}

std::shared_ptr<PostAnswer> StreamableHttp::make_answer(const Post& post) {
  return std::make_shared<PostAnswer>(reactor_, streams_, post.responder,
                                      accepted_forms(post.request));
}

void StreamableHttp::on_post(http::Request request, ResponderPtr responder) {
  if (!is_json(request)) {
    return responder->respond(rpc_error(
        415, kTransportRefusal, "Unsupported Media Type: Content-Type must be application/json"));
  }
  auto parsed = json::parse(request.body, options_.json);
  request.body = {};
  if (!parsed.ok()) {
    return responder->respond(
        rpc_error(400, kParseError, "Parse error: " + parsed.error().message()));
  }
  Post post{std::move(request), std::move(responder), std::move(parsed).value()};
  if (post.message.is_array()) return on_batch(std::move(post));
  if (!post.message.is_object()) {
    return post.responder->respond(rpc_error(
        400, kInvalidRequest, "Invalid request: the body must be a JSON-RPC message, an object"));
  }
  const bool has_method = json::find(post.message, "method") != nullptr;
  const bool is_answer =
      json::find(post.message, "result") != nullptr || json::find(post.message, "error") != nullptr;
  if (!has_method && !is_answer) {
    return post.responder->respond(rpc_error(400, kInvalidRequest,
                                             "Invalid request: the message has no \"method\"",
                                             id_of(post.message)));
  }
  if (has_method && json::find(post.message, "id") != nullptr) return on_request(std::move(post));
  on_other(std::move(post));
}

// Notifications and responses: accepted and not answered.
void StreamableHttp::on_other(Post post) {
  const bool modern =
      names_modern_version(post.request) || mcp::Engine::has_modern_claim(post.message);
  if (modern) return post.responder->respond(http::Response::empty(202));
  const auto session = session_of(post.request, post.responder, nullptr);
  if (!session) return;
  const auto outcome = std::make_shared<OnlyErrors>();
  engine_.receive(session->session, std::move(post.message), outcome);
  post.responder->respond(outcome->error ? http::Response::json(400, json::write(*outcome->error))
                                         : http::Response::empty(202));
}

void StreamableHttp::on_request(Post post) {
  const std::string method = json::find_string(post.message, "method").value_or("");
  if (mcp::Engine::has_modern_claim(post.message)) return on_modern(std::move(post));
  if (method == "initialize") return on_initialize(std::move(post));
  // Without the envelope these cannot be served; the modern era's own error names what is missing.
  if (names_modern_version(post.request) || method == "server/discover")
    return on_modern(std::move(post));
  const auto session = session_of(post.request, post.responder, id_of(post.message));
  if (!session) return;
  const auto answer = make_answer(post);
  answer->hold(session);
  engine_.receive(session->session, std::move(post.message), answer);
  answer->stream_after(options_.stream_after);
}

// A stale session id does not matter here: many clients send theirs again.
void StreamableHttp::on_initialize(Post post) {
  if (names_modern_version(post.request)) {
    return post.responder->respond(rpc_error(
        400, kHeaderMismatch,
        "Header mismatch: MCP-Protocol-Version names 2026-07-28, which has no initialize; send the "
        "request with the envelope in params._meta, or without that header",
        id_of(post.message)));
  }
  if (!sessions_.has_room()) {
    http::Response full =
        rpc_error(503, kTransportRefusal,
                  "the server has as many sessions in use as it allows; end one or try again later",
                  id_of(post.message));
    full.headers.add("Retry-After", "5");
    return post.responder->respond(std::move(full));
  }
  auto session = std::make_shared<mcp::Session>();
  session->principal = post.request.principal;
  session->transport = "http";
  const auto answer = make_answer(post);
  answer->before_response([this, session](const json::Value& response, http::Headers& headers) {
    if (json::find(response, "result") == nullptr) return;
    headers.add(std::string(kSessionHeader), sessions_.add(session)->id);
  });
  engine_.receive(session, std::move(post.message), answer);
}

void StreamableHttp::on_modern(Post post) {
  const mcp::ModernHeaders headers = modern_headers(post.request);
  const auto answer = make_answer(post);
  const std::shared_ptr<void> token = engine_.receive_modern(
      post.request.principal, "http", std::move(post.message), &headers, answer);
  if (!answer->pending()) return;
  answer->stream_after(options_.stream_after);
  // The client that closes the response stream wants the work stopped.
  post.responder->on_disconnect([this, token] { engine_.cancel(token); });
}

void StreamableHttp::on_batch(Post post) {
  json::Array& batch = post.message.get_array();
  const auto refuse = [&](const std::string& message) {
    post.responder->respond(rpc_error(400, kInvalidRequest, message));
  };
  if (std::any_of(batch.begin(), batch.end(), mcp::Engine::has_modern_claim) ||
      names_modern_version(post.request)) {
    return refuse("Invalid request: 2026-07-28 has no batches; send one message a request");
  }
  const auto session = session_of(post.request, post.responder, nullptr);
  if (!session) return;
  if (const Status allowed = check_batch(batch, session->session->revision); !allowed.ok()) {
    return refuse(allowed.error().message());
  }
  const auto needs_answer = [](const json::Value& message) {
    return !message.is_object() || json::find(message, "id") != nullptr ||
           json::find(message, "method") == nullptr;
  };
  const auto is_response = [](const json::Value& message) {
    return message.is_object() && json::find(message, "method") == nullptr &&
           (json::find(message, "result") != nullptr || json::find(message, "error") != nullptr);
  };
  std::size_t answers = 0;
  for (const json::Value& message : batch)
    answers += needs_answer(message) && !is_response(message) ? 1U : 0U;
  if (answers == 0) post.responder->respond(http::Response::empty(202));
  const auto answer = make_answer(post);
  answer->expect_batch(answers);
  answer->hold(session);
  for (json::Value& message : batch) {
    if (!needs_answer(message) || is_response(message)) {
      engine_.receive(session->session, std::move(message), std::make_shared<OnlyErrors>());
    } else if (json::find_string(message, "method") == "initialize") {
      answer->respond(
          mcp::Engine::error_response(id_of(message), kInvalidRequest,
                                      "Invalid request: initialize cannot be part of a batch"),
          400);
    } else {
      engine_.receive(session->session, std::move(message), answer);
    }
  }
  answer->stream_after(options_.stream_after);
}

void StreamableHttp::on_get(const http::Request& request, const ResponderPtr& responder) {
  if (!request.headers.find(kSessionHeader)) {
    // 400 or 404 here makes clients ask for ever or give up.
    http::Response response =
        rpc_error(405, kTransportRefusal,
                  "Method Not Allowed: GET needs the Mcp-Session-Id of a session; POST is open");
    response.headers.add("Allow", "POST, DELETE, OPTIONS");
    return responder->respond(std::move(response));
  }
  const auto session = session_of(request, responder, nullptr);
  if (!session) return;
  const auto accept = request.headers.find("Accept");
  const bool anything = !accept || accept->find("*/*") != std::string_view::npos;
  if (!anything && !accepted_forms(request).events) {
    return responder->respond(
        rpc_error(406, kTransportRefusal,
                  "Not Acceptable: the answer to GET is text/event-stream; accept it"));
  }
  // One stream a session: clients that lost theirs open another before the server knows.
  if (const auto earlier = std::exchange(session->stream, nullptr)) earlier->end_sse();
  session->stream_slot.reset();
  session->stream_slot = streams_.take();
  if (!session->stream_slot) {
    http::Response full =
        rpc_error(503, kTransportRefusal,
                  "there are " + std::to_string(streams_.most()) +
                      " event streams open, which is the limit; POST works without one");
    full.headers.add("Retry-After", "5");
    return responder->respond(std::move(full));
  }
  session->stream = responder;
  responder->begin_sse({});
  responder->send_comment("stream open");
  if (session->session->revision >= kPrimingFrom) responder->send_retry(options_.retry);
  responder->on_disconnect([weak = std::weak_ptr<HttpSession>(session), stream = responder.get()] {
    const auto owner = weak.lock();
    if (!owner || owner->stream.get() != stream) return;
    owner->stream.reset();
    owner->stream_slot.reset();
  });
}

void StreamableHttp::on_delete(const http::Request& request, const ResponderPtr& responder) {
  const auto session = session_of(request, responder, nullptr);
  if (!session) return;
  sessions_.end(session);
  responder->respond(http::Response::empty(204));
  engine_.close(session->session);
}

}  // namespace cmcp::transport
