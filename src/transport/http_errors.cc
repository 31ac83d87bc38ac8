#include "transport/http_errors.h"

#include "mcp/engine.h"

namespace cmcp::transport {

http::Response rpc_error(int status, int code, std::string_view message, const json::Value& id) {
  return http::Response::json(status, json::write(mcp::Engine::error_response(id, code, message)));
}

http::Response refusal(const std::string& path, int status, const std::string& message) {
  if (path == kMcpPath || path == std::string(kMcpPath) + "/") {
    return rpc_error(status, kTransportRefusal, message);
  }
  return http::Response::json(status, json::write(json::Object{{"error", message}}));
}

}  // namespace cmcp::transport
