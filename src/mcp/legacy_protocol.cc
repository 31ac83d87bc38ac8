#include "mcp/legacy_protocol.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/strings.h"
#include "mcp/request_params.h"
#include "mcp/resource_read.h"
#include "mcp/tool_result.h"

namespace cmcp::mcp {
namespace {

constexpr std::array<const char*, 8> kLogLevels = {"debug", "info",     "notice", "warning",
                                                   "error", "critical", "alert",  "emergency"};
constexpr int kOk = 200;
constexpr int kBadRequest = 400;

Session::Calls& calls_of(Session& session) {
  if (!session.calls) session.calls = std::make_shared<Session::Calls>();
  return *session.calls;
}

// Weakly, for the table holds the calls: a call that never settles must not keep both alive.
void forget(const std::weak_ptr<Session::Calls>& calls, const std::string& key) {
  if (const auto table = calls.lock()) table->by_id.erase(key);
}

}  // namespace

void LegacyProtocol::receive(const std::shared_ptr<Session>& session, const json::Value& value,
                             const std::shared_ptr<Exchange>& exchange) {
  const Message message = classify(value);
  switch (message.kind) {
    case MessageKind::kResponse:
      return;  // nothing is ever asked of a client here
    case MessageKind::kNotification:
      handle_notification(session, message);
      return;
    case MessageKind::kInvalid:
      exchange->respond(Engine::error_response(message.id, message.error_code, message.problem),
                        message.error_code == rpc::kInvalidRequest ? kBadRequest : kOk);
      return;
    case MessageKind::kRequest:
      break;
  }
  if (calls_of(*session).by_id.count(id_key(message.id)) != 0) {
    exchange->respond(
        Engine::error_response(
            message.id, rpc::kInvalidRequest,
            "Invalid request: a request with this id is still in progress; use a new id."),
        kBadRequest);
    return;
  }
  handle_request({session, message, exchange});
}

LegacyProtocol::Handler LegacyProtocol::handler_of(const std::string& method) {
  static const std::map<std::string, Handler, std::less<>> kHandlers = {
      {"initialize", &LegacyProtocol::initialize},
      {"ping", &LegacyProtocol::ping},
      {"logging/setLevel", &LegacyProtocol::set_level},
      {"tools/list", &LegacyProtocol::list_tools},
      {"tools/call", &LegacyProtocol::call_tool},
      {"resources/list", &LegacyProtocol::list_resources},
      {"resources/templates/list", &LegacyProtocol::list_resource_templates},
      {"resources/read", &LegacyProtocol::read_resource},
      {"server/discover", &LegacyProtocol::discover},
  };
  const auto found = kHandlers.find(method);
  return found == kHandlers.end() ? nullptr : found->second;
}

void LegacyProtocol::handle_request(const Request& request) {
  const Handler handler = handler_of(request.message.method);
  const bool resources = request.message.method.rfind("resources/", 0) == 0;
  if (handler == nullptr || (resources && context_.resources == nullptr)) {
    request.exchange->respond(method_not_found(request.message.id, request.message.method), kOk);
    return;
  }
  (this->*handler)(request);
}

void LegacyProtocol::handle_notification(const std::shared_ptr<Session>& session,
                                         const Message& message) {
  if (message.method == "notifications/initialized") {
    session->initialized = true;
  } else if (message.method == "notifications/cancelled" && message.params != nullptr) {
    const json::Value* id = json::find(*message.params, "requestId");
    if (id == nullptr || !is_valid_id(*id)) return;
    auto& by_id = calls_of(*session).by_id;
    const auto found = by_id.find(id_key(*id));
    // Late and unknown cancellations are normal: the answer and the notification cross.
    if (found == by_id.end()) return;
    const std::shared_ptr<InFlight> call = found->second;
    call->cancel_by_client();
  }
}

void LegacyProtocol::close(const std::shared_ptr<Session>& session) {
  std::vector<std::shared_ptr<InFlight>> calls;
  for (const auto& [key, call] : calls_of(*session).by_id) calls.push_back(call);
  for (const auto& call : calls) call->cancel_by_client();
}

// Only what is built. `resources` stands for resources/read; the two lists are empty.
json::Object LegacyProtocol::capabilities() const {
  json::Object capabilities;
  capabilities["tools"] = json::Object();
  capabilities["logging"] = json::Object();
  if (context_.resources != nullptr) capabilities["resources"] = json::Object();
  return capabilities;
}

void LegacyProtocol::initialize(const Request& request) {
  const json::Object* params = request.message.params;
  const json::Value* version = params == nullptr ? nullptr : json::find(*params, "protocolVersion");
  if (version == nullptr || !version->is_string()) {
    request.exchange->respond(
        Engine::error_response(
            request.message.id, rpc::kInvalidParams,
            "Invalid params: initialize needs \"protocolVersion\", a string such as \"" +
                std::string(kLatestLegacyRevision) + "\"."),
        kOk);
    return;
  }
  Session& session = *request.session;
  session.revision = negotiate(json::view(version->get_string()));
  if (const json::Value* client = json::find(*params, "clientInfo")) {
    session.client_name = printable(json::find_string(*client, "name").value_or(""), 100);
  }
  json::Object result;
  result["protocolVersion"] = session.revision;
  result["capabilities"] = capabilities();
  result["serverInfo"] = server_info(context_, features_of(session.revision));
  if (!context_.options.instructions.empty())
    result["instructions"] = context_.options.instructions;
  log::info("client initialized", {{"client", session.client_name},
                                   {"revision", session.revision},
                                   {"transport", session.transport}});
  request.exchange->respond(result_response(request.message.id, std::move(result)), kOk);
}

void LegacyProtocol::ping(const Request& request) {
  request.exchange->respond(result_response(request.message.id, {}), kOk);
}

void LegacyProtocol::set_level(const Request& request) {
  const json::Object* params = request.message.params;
  const json::Value* level = params == nullptr ? nullptr : json::find(*params, "level");
  const bool known = level != nullptr && level->is_string() &&
                     std::find(kLogLevels.begin(), kLogLevels.end(),
                               json::view(level->get_string())) != kLogLevels.end();
  if (!known) {
    const std::vector<std::string> levels(kLogLevels.begin(), kLogLevels.end());
    request.exchange->respond(Engine::error_response(request.message.id, rpc::kInvalidParams,
                                                     "Invalid params: \"level\" must be one of " +
                                                         join(levels, ", ") + "."),
                              kOk);
    return;
  }
  request.session->log_level = std::string(json::view(level->get_string()));
  request.exchange->respond(result_response(request.message.id, {}), kOk);
}

void LegacyProtocol::list_tools(const Request& request) {
  if (const Status cursor = check_cursor(request.message.params); !cursor.ok()) {
    request.exchange->respond(
        Engine::error_response(request.message.id, rpc::kInvalidParams, cursor.error().message()),
        kOk);
    return;
  }
  json::Object result;
  result["tools"] = context_.tools.list(request.session->revision);
  request.exchange->respond(result_response(request.message.id, std::move(result)), kOk);
}

void LegacyProtocol::list_nothing(const Request& request, const char* key) {
  if (const Status cursor = check_cursor(request.message.params); !cursor.ok()) {
    request.exchange->respond(
        Engine::error_response(request.message.id, rpc::kInvalidParams, cursor.error().message()),
        kOk);
    return;
  }
  json::Object result;
  result[key] = json::Array();
  request.exchange->respond(result_response(request.message.id, std::move(result)), kOk);
}

void LegacyProtocol::list_resources(const Request& request) {
  list_nothing(request, "resources");
}
void LegacyProtocol::list_resource_templates(const Request& request) {
  list_nothing(request, "resourceTemplates");
}

// Reached only without the modern envelope: a probe by hand, or a client with a defect, which must
// get an answer.
void LegacyProtocol::discover(const Request& request) {
  request.exchange->respond(
      Engine::error_response(request.message.id, rpc::kInvalidParams,
                             "Invalid params: server/discover needs params._meta with the keys "
                             "io.modelcontextprotocol/protocolVersion and "
                             "io.modelcontextprotocol/clientCapabilities."),
      kBadRequest);
}

void LegacyProtocol::call_tool(const Request& request) {
  const auto refuse = [&](const std::string& message) {
    request.exchange->respond(
        Engine::error_response(request.message.id, rpc::kInvalidParams, message), kOk);
  };
  Result<ToolCallParams> call = tool_call_params(request.message.params);
  if (!call.ok()) return refuse(call.error().message());
  const Result<std::optional<json::Value>> token = progress_token(request.message.params);
  if (!token.ok()) return refuse(token.error().message());
  const ToolRegistry::Entry* entry = context_.tools.find(call->name);
  if (entry == nullptr) {
    context_.runner->record_unknown_tool(request.session->principal, request.session->transport,
                                         call->name);
    return refuse(context_.tools.unknown_tool(call->name));
  }
  start_call(request, *entry, std::move(call->arguments), token.value());
}

void LegacyProtocol::start_call(const Request& request, const ToolRegistry::Entry& entry,
                                json::Value arguments, const std::optional<json::Value>& token) {
  const Features features = features_of(request.session->revision);
  const std::string key = id_key(request.message.id);
  CallRequest call;
  call.principal = request.session->principal;
  call.transport = request.session->transport;
  call.entry = &entry;
  call.arguments = std::move(arguments);
  call.account = calls_of(*request.session).account;
  if (token) call.progress = make_progress(context_, *token, features, request.exchange);
  call.settled = [this, calls = std::weak_ptr(request.session->calls), key, id = request.message.id,
                  features, exchange = request.exchange](CallOutcome outcome) {
    forget(calls, key);
    if (std::holds_alternative<ClientCancelled>(outcome)) {
      exchange->abandon();
    } else if (const auto* failure = std::get_if<InternalFailure>(&outcome)) {
      exchange->respond(internal_error(context_, id, *failure), kOk);
    } else {
      exchange->respond(
          result_response(id, tool_result_wire(std::get<ToolResult>(std::move(outcome)), features)),
          kOk);
    }
  };
  const std::shared_ptr<InFlight> running = context_.runner->start(std::move(call));
  if (running) calls_of(*request.session).by_id[key] = running;
}

void LegacyProtocol::read_resource(const Request& request) {
  const Result<std::string> uri = resource_uri(request.message.params);
  if (!uri.ok()) {
    request.exchange->respond(
        Engine::error_response(request.message.id, rpc::kInvalidParams, uri.error().message()),
        kOk);
    return;
  }
  const Features features = features_of(request.session->revision);
  const std::string key = id_key(request.message.id);
  calls_of(*request.session);
  ReadEnd end;
  end.answered = [calls = std::weak_ptr(request.session->calls), key, id = request.message.id,
                  uri = uri.value(), features,
                  exchange = request.exchange](const Result<ResourceContent>& content) {
    forget(calls, key);
    exchange->respond(content.ok() ? result_response(id, resource_wire(content.value()))
                                   : resource_error(id, uri, content.error(), features),
                      kOk);
  };
  end.cancelled = [calls = std::weak_ptr(request.session->calls), key,
                   exchange = request.exchange] {
    forget(calls, key);
    exchange->abandon();
  };
  const std::shared_ptr<InFlight> running =
      start_read(*context_.resources, request.session->principal, uri.value(), std::move(end));
  if (running) calls_of(*request.session).by_id[key] = running;
}

}  // namespace cmcp::mcp
