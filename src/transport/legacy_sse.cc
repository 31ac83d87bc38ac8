#include "transport/legacy_sse.h"

#include "base/strings.h"
#include "transport/batch.h"
#include "transport/http_errors.h"
#include "transport/session_ids.h"

namespace cmcp::transport {

namespace {

constexpr std::string_view kMessagesPath = "/messages/";
constexpr std::size_t kIdDigits = 32;
constexpr int kParseError = -32700;
constexpr int kInvalidRequest = -32600;

http::Response plain(int status, std::string_view message) {
  return refusal(std::string(kMessagesPath), status, std::string(message));
}

// The name of the parameter differs between the families of SDKs.
std::optional<std::string> session_parameter(const http::Request& request) {
  auto id = request.query_parameter("session_id");
  return id ? id : request.query_parameter("sessionId");
}

bool is_session_id(const std::string& text) {
  return text.size() == kIdDigits &&
         text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

bool is_json(const http::Request& request) {
  const auto type = request.headers.find("Content-Type");
  return type && equals_ignore_case(strip(type->substr(0, type->find(';'))), "application/json");
}

}  // namespace

// Answers on the stream of a session, for as long as that is there.
class LegacySse::StreamExchange : public mcp::Exchange {
 public:
  explicit StreamExchange(const std::shared_ptr<SseSession>& session) : session_(session) {}
  void notify(const json::Value& message) override { send(message); }
  void respond(json::Value response, int) override { send(response); }
  void abandon() override {}

 private:
  void send(const json::Value& message) {
    if (const auto session = session_.lock())
      session->stream->send_event("message", json::write(message));
  }
  std::weak_ptr<SseSession> session_;
};

LegacySse::LegacySse(mcp::Engine& engine, StreamBudget& streams, json::Limits limits)
    : engine_(engine), streams_(streams), limits_(limits) {}

void LegacySse::add_routes(http::Router& router) {
  router.add({"GET", "/sse", http::Access::kAuthenticated, false,
              [this](const http::Request& request, const ResponderPtr& responder) {
                on_get(request, responder);
              }});
  for (const std::string path : {"/messages/", "/messages"}) {
    router.add({"POST", path, http::Access::kAuthenticated, false,
                [this](const http::Request& request, const ResponderPtr& responder) {
                  on_post(request, responder);
                }});
  }
}

void LegacySse::on_get(const http::Request& request, const ResponderPtr& responder) {
  auto slot = streams_.take();
  if (!slot) {
    http::Response full =
        plain(503, "there are " + std::to_string(streams_.most()) +
                       " event streams open, which is the limit; close one or try again later");
    full.headers.add("Retry-After", "5");
    return responder->respond(std::move(full));
  }
  const std::string id = random_session_name();
  auto session = std::make_shared<SseSession>();
  session->session = std::make_shared<mcp::Session>();
  session->session->principal = request.principal;
  session->session->transport = "sse";
  session->stream = responder;
  session->slot = std::move(slot);
  sessions_[id] = session;
  responder->begin_sse({});
  // Relative: clients refuse an endpoint of another origin than the one they were given.
  responder->send_event("endpoint", std::string(kMessagesPath) + "?session_id=" + id);
  responder->on_disconnect([this, id] { stream_closed(id); });
}

void LegacySse::stream_closed(const std::string& id) {
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return;
  const auto session = found->second;
  sessions_.erase(found);
  engine_.close(session->session);
}

void LegacySse::on_post(const http::Request& request, const ResponderPtr& responder) {
  const std::optional<std::string> id = session_parameter(request);
  if (!id)
    return responder->respond(
        plain(400, "session_id is required: use the path that GET /sse sends first"));
  if (!is_session_id(*id)) return responder->respond(plain(400, "Invalid session ID"));
  const auto found = sessions_.find(*id);
  // A session of somebody else is none.
  if (found == sessions_.end() || !(found->second->session->principal == request.principal)) {
    return responder->respond(
        plain(404, "Could not find session: its stream is closed; open GET /sse again"));
  }
  if (!is_json(request))
    return responder->respond(plain(415, "Content-Type must be application/json"));
  auto parsed = json::parse(request.body, limits_);
  if (!parsed.ok()) {
    return responder->respond(
        rpc_error(400, kParseError, "Parse error: " + parsed.error().message()));
  }
  const auto session = found->second;
  if (parsed->is_array()) return on_batch(session, parsed->get_array(), responder);
  responder->respond(http::Response::text(202, "Accepted"));
  engine_.receive(session->session, std::move(parsed).value(),
                  std::make_shared<StreamExchange>(session));
}

// The answers go out one by one, as they come: the stream carries messages, not arrays.
void LegacySse::on_batch(const std::shared_ptr<SseSession>& session, json::Array& batch,
                         const ResponderPtr& responder) {
  if (const Status allowed = check_batch(batch, session->session->revision); !allowed.ok()) {
    return responder->respond(rpc_error(400, kInvalidRequest, allowed.error().message()));
  }
  responder->respond(http::Response::text(202, "Accepted"));
  const auto exchange = std::make_shared<StreamExchange>(session);
  for (json::Value& message : batch) {
    engine_.receive(session->session, std::move(message), exchange);
  }
}

}  // namespace cmcp::transport
