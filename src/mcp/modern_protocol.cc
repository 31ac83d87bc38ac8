#include "mcp/modern_protocol.h"

#include <utility>

#include "mcp/modern_envelope.h"
#include "mcp/request_params.h"
#include "mcp/resource_read.h"
#include "mcp/tool_result.h"

namespace cmcp::mcp {
namespace {

constexpr int kOk = 200;
constexpr int kBadRequest = 400;
constexpr int kNotFound = 404;
// Tools do not change while a server runs; a minute bounds what a restart with other settings
// costs.
constexpr std::int64_t kListTtlMs = 60'000;

const Features& modern_features() {
  static const Features features = features_of(kModernRevision);
  return features;
}

// Private: what a principal may see can differ, and no cache on the way can know.
json::Object cacheable(json::Object result, std::int64_t ttl_ms) {
  result["ttlMs"] = ttl_ms;
  result["cacheScope"] = "private";
  return result;
}

}  // namespace

json::Object ModernProtocol::complete(json::Object result) const {
  result["resultType"] = "complete";
  json::Value& meta = result["_meta"];
  if (!meta.is_object()) meta = json::Object();
  meta.get_object()["io.modelcontextprotocol/serverInfo"] =
      server_info(context_, modern_features());
  return result;
}

std::shared_ptr<CallAccount> ModernProtocol::account_of(const auth::Principal& principal) {
  std::shared_ptr<CallAccount>& account = accounts_[principal.id];
  if (!account) account = std::make_shared<CallAccount>();
  return account;
}

ModernProtocol::Handler ModernProtocol::handler_of(const std::string& method) {
  static const std::map<std::string, Handler, std::less<>> kHandlers = {
      {"server/discover", &ModernProtocol::discover},
      {"tools/list", &ModernProtocol::list_tools},
      {"tools/call", &ModernProtocol::call_tool},
      {"resources/list", &ModernProtocol::list_resources},
      {"resources/templates/list", &ModernProtocol::list_resource_templates},
      {"resources/read", &ModernProtocol::read_resource},
  };
  const auto found = kHandlers.find(method);
  return found == kHandlers.end() ? nullptr : found->second;
}

std::shared_ptr<InFlight> ModernProtocol::receive(const auth::Principal& principal,
                                                  const std::string& transport,
                                                  const json::Value& value,
                                                  const ModernHeaders* headers,
                                                  const std::shared_ptr<Exchange>& exchange) {
  const Message message = classify(value);
  if (message.kind == MessageKind::kNotification || message.kind == MessageKind::kResponse)
    return nullptr;
  if (message.kind == MessageKind::kInvalid) {
    exchange->respond(Engine::error_response(message.id, message.error_code, message.problem),
                      kBadRequest);
    return nullptr;
  }
  if (const auto refusal = check_envelope(message, headers)) {
    exchange->respond(
        Engine::error_response(message.id, refusal->code, refusal->message, refusal->data),
        refusal->http_status);
    return nullptr;
  }
  const Handler handler = handler_of(message.method);
  const bool resources = message.method.rfind("resources/", 0) == 0;
  if (handler == nullptr || (resources && context_.resources == nullptr)) {
    exchange->respond(method_not_found(message.id, message.method), kNotFound);
    return nullptr;
  }
  return (this->*handler)({principal, transport, message, exchange});
}

std::shared_ptr<InFlight> ModernProtocol::discover(const Request& request) {
  json::Object capabilities;
  capabilities["tools"] = json::Object();
  if (context_.resources != nullptr) capabilities["resources"] = json::Object();
  json::Object result;
  // Only what works with an envelope in each request; the legacy revisions are reached through
  // initialize.
  result["supportedVersions"] = json::Array{json::String(kModernRevision)};
  result["capabilities"] = std::move(capabilities);
  if (!context_.options.instructions.empty())
    result["instructions"] = context_.options.instructions;
  request.exchange->respond(
      result_response(request.message.id, complete(cacheable(std::move(result), kListTtlMs))), kOk);
  return nullptr;
}

std::shared_ptr<InFlight> ModernProtocol::list_tools(const Request& request) {
  if (const Status cursor = check_cursor(request.message.params); !cursor.ok()) {
    request.exchange->respond(
        Engine::error_response(request.message.id, rpc::kInvalidParams, cursor.error().message()),
        kOk);
    return nullptr;
  }
  json::Object result;
  result["tools"] = context_.tools.list(kModernRevision);
  request.exchange->respond(
      result_response(request.message.id, complete(cacheable(std::move(result), kListTtlMs))), kOk);
  return nullptr;
}

std::shared_ptr<InFlight> ModernProtocol::list_nothing(const Request& request, const char* key) {
  if (const Status cursor = check_cursor(request.message.params); !cursor.ok()) {
    request.exchange->respond(
        Engine::error_response(request.message.id, rpc::kInvalidParams, cursor.error().message()),
        kOk);
    return nullptr;
  }
  json::Object result;
  result[key] = json::Array();
  request.exchange->respond(
      result_response(request.message.id, complete(cacheable(std::move(result), 0))), kOk);
  return nullptr;
}

std::shared_ptr<InFlight> ModernProtocol::list_resources(const Request& request) {
  return list_nothing(request, "resources");
}
std::shared_ptr<InFlight> ModernProtocol::list_resource_templates(const Request& request) {
  return list_nothing(request, "resourceTemplates");
}

std::shared_ptr<InFlight> ModernProtocol::call_tool(const Request& request) {
  const auto refuse = [&](const std::string& message) {
    request.exchange->respond(
        Engine::error_response(request.message.id, rpc::kInvalidParams, message), kOk);
    return nullptr;
  };
  Result<ToolCallParams> call = tool_call_params(request.message.params);
  if (!call.ok()) return refuse(call.error().message());
  const Result<std::optional<json::Value>> token = progress_token(request.message.params);
  if (!token.ok()) return refuse(token.error().message());
  const ToolRegistry::Entry* entry = context_.tools.find(call->name);
  if (entry == nullptr) {
    context_.runner->record_unknown_tool(request.principal, request.transport, call->name);
    return refuse(context_.tools.unknown_tool(call->name));
  }
  return start_call(request, *entry, std::move(call->arguments), token.value());
}

std::shared_ptr<InFlight> ModernProtocol::start_call(const Request& request,
                                                     const ToolRegistry::Entry& entry,
                                                     json::Value arguments,
                                                     const std::optional<json::Value>& token) {
  CallRequest call;
  call.principal = request.principal;
  call.transport = request.transport;
  call.entry = &entry;
  call.arguments = std::move(arguments);
  call.account = account_of(request.principal);
  if (token) call.progress = make_progress(context_, *token, modern_features(), request.exchange);
  call.settled = [this, id = request.message.id, exchange = request.exchange](CallOutcome outcome) {
    if (std::holds_alternative<ClientCancelled>(outcome)) {
      exchange->abandon();
    } else if (const auto* failure = std::get_if<InternalFailure>(&outcome)) {
      exchange->respond(internal_error(context_, id, *failure), kOk);
    } else {
      json::Object wire =
          tool_result_wire(std::get<ToolResult>(std::move(outcome)), modern_features());
      exchange->respond(result_response(id, complete(std::move(wire))), kOk);
    }
  };
  return context_.runner->start(std::move(call));
}

std::shared_ptr<InFlight> ModernProtocol::read_resource(const Request& request) {
  const Result<std::string> uri = resource_uri(request.message.params);
  if (!uri.ok()) {
    request.exchange->respond(
        Engine::error_response(request.message.id, rpc::kInvalidParams, uri.error().message()),
        kOk);
    return nullptr;
  }
  ReadEnd end;
  end.answered = [id = request.message.id, uri = uri.value(), exchange = request.exchange,
                  info = complete({})](const Result<ResourceContent>& content) {
    if (!content.ok()) {
      exchange->respond(resource_error(id, uri, content.error(), modern_features()), kOk);
      return;
    }
    json::Object result = cacheable(resource_wire(content.value()), 0);
    for (const auto& member : info) result[member.key()] = member.value();
    exchange->respond(result_response(id, std::move(result)), kOk);
  };
  end.cancelled = [exchange = request.exchange] { exchange->abandon(); };
  return start_read(*context_.resources, request.principal, uri.value(), std::move(end));
}

}  // namespace cmcp::mcp
