#include "mcp/engine.h"

#include <utility>

#include "mcp/jsonrpc.h"
#include "mcp/legacy_protocol.h"
#include "mcp/modern_protocol.h"

namespace cmcp::mcp {

struct Engine::Impl {
  Impl(net::Reactor& reactor, EngineOptions options, std::vector<Tool> tools,
       ResourceReader* resources, obs::AuditSink& audit)
      : context{reactor, std::move(options), ToolRegistry(std::move(tools)), resources, nullptr},
        legacy(context),
        modern(context) {
    context.runner =
        std::make_shared<CallRunner>(reactor, audit, context.options.max_calls_per_session);
  }
  ProtocolContext context;
  LegacyProtocol legacy;
  ModernProtocol modern;
  std::shared_ptr<CallAccount> own_account = std::make_shared<CallAccount>();
};

Engine::Engine(net::Reactor& reactor, EngineOptions options, std::vector<Tool> tools,
               ResourceReader* resources, obs::AuditSink& audit)
    : impl_(std::make_unique<Impl>(reactor, std::move(options), std::move(tools), resources,
                                   audit)) {}

Engine::~Engine() = default;

bool Engine::has_modern_claim(const json::Value& message) {
  const json::Value* params = json::find(message, "params");
  const json::Value* meta = params == nullptr ? nullptr : json::find(*params, "_meta");
  return meta != nullptr && json::find(*meta, "io.modelcontextprotocol/protocolVersion") != nullptr;
}

void Engine::receive(const std::shared_ptr<Session>& session, json::Value message,
                     std::shared_ptr<Exchange> exchange) {
  impl_->legacy.receive(session, message, exchange);
}

std::shared_ptr<void> Engine::receive_modern(const auth::Principal& principal,
                                             const std::string& transport, json::Value message,
                                             const ModernHeaders* headers,
                                             std::shared_ptr<Exchange> exchange) {
  return impl_->modern.receive(principal, transport, message, headers, exchange);
}

void Engine::cancel(const std::shared_ptr<void>& token) {
  if (token) std::static_pointer_cast<InFlight>(token)->cancel_by_client();
}

void Engine::close(const std::shared_ptr<Session>& session) {
  impl_->legacy.close(session);
}

void Engine::shut_down(std::function<void()> drained) {
  impl_->context.runner->shut_down(std::move(drained));
}

std::size_t Engine::calls_in_flight() const {
  return impl_->context.runner->running();
}

void Engine::call_tool(const auth::Principal& principal, const std::string& name,
                       json::Value arguments, ToolDone done) {
  const ToolRegistry::Entry* entry = impl_->context.tools.find(name);
  if (entry == nullptr) {
    impl_->context.runner->record_unknown_tool(principal, "cli", name);
    done(ToolResult::refused(RefusalCode::kInvalidArgument,
                             impl_->context.tools.unknown_tool(name)));
    return;
  }
  CallRequest call;
  call.principal = principal;
  call.transport = "cli";
  call.entry = entry;
  call.arguments = std::move(arguments);
  call.account = impl_->own_account;
  call.settled = [done = std::move(done)](CallOutcome outcome) {
    if (auto* result = std::get_if<ToolResult>(&outcome)) return done(std::move(*result));
    const auto* failure = std::get_if<InternalFailure>(&outcome);
    ToolResult broken;
    broken.object["success"] = false;
    broken.object["error"] =
        "internal error: " + (failure != nullptr ? failure->cause : "the call was cancelled");
    done(std::move(broken));
  };
  impl_->context.runner->start(std::move(call));
}

json::Value Engine::error_response(const json::Value& id, int code, std::string_view message,
                                   std::optional<json::Value> data) {
  json::Object error;
  error["code"] = code;
  error["message"] = json::String(message.data(), message.size());
  if (data) error["data"] = std::move(*data);
  json::Object response;
  response["jsonrpc"] = "2.0";
  response["id"] = id;
  response["error"] = std::move(error);
  return response;
}

}  // namespace cmcp::mcp
