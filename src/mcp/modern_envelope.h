// The ladder of checks that a request of the modern era passes before its method is looked at:
// JSON-RPC, the envelope in params._meta, and over HTTP the routing headers. Pure: no state, no
// side effect.
#pragma once

#include <optional>
#include <string>

#include "mcp/engine.h"
#include "mcp/jsonrpc.h"

namespace cmcp::mcp {

// Why a request was refused: the JSON-RPC error and the HTTP status.
struct LadderRefusal {
  int code = 0;
  std::string message;
  std::optional<json::Value> data;
  int http_status = 400;
};

// Nothing when the request may go on to its method. `message` is a request; `headers` is nullptr
// over stdio. Order: envelope complete, version header = body, version supported, method header =
// body, name header = body.
std::optional<LadderRefusal> check_envelope(const Message& message, const ModernHeaders* headers);

// The value of an Mcp-Name header: as it stands, or decoded from "=?base64?…?=". Nothing for bad
// base64.
std::optional<std::string> decode_header_value(std::string_view value);

}  // namespace cmcp::mcp
