#include "mcp/protocol_context.h"

#include "base/strings.h"
#include "mcp/jsonrpc.h"

namespace cmcp::mcp {

json::Object server_info(const ProtocolContext& context, const Features& features) {
  json::Object info;
  info["name"] = context.options.server_name;
  if (features.titles) info["title"] = context.options.server_title;
  info["version"] = context.options.server_version;
  return info;
}

std::shared_ptr<ProgressReporter> make_progress(const ProtocolContext& context,
                                                const json::Value& token, const Features& features,
                                                const std::shared_ptr<Exchange>& exchange) {
  const ProgressPace pace{context.options.progress_interval, context.options.progress_gap};
  return std::make_shared<ProgressReporter>(context.reactor, pace, token, features.progress_message,
                                            exchange);
}

json::Value internal_error(const ProtocolContext& context, const json::Value& id,
                           const InternalFailure& failure) {
  std::optional<json::Value> data;
  if (context.options.debug) data = json::Object{{"cause", printable(failure.cause)}};
  return Engine::error_response(
      id, rpc::kInternalError,
      "Internal error: the tool broke off; the server's log has the cause.", data);
}

json::Value method_not_found(const json::Value& id, const std::string& method) {
  return Engine::error_response(id, rpc::kMethodNotFound,
                                "Method not found: " + printable(method, 100));
}

}  // namespace cmcp::mcp
