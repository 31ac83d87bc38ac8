// What refusals look like over HTTP: JSON-RPC errors on /mcp, plain JSON elsewhere.
#pragma once

#include <string>
#include <string_view>

#include "http/message.h"
#include "json/json.h"

namespace cmcp::transport {

inline constexpr std::string_view kMcpPath = "/mcp";

// Codes that the SDKs of the legacy era use for the transport's own refusals.
inline constexpr int kTransportRefusal = -32000;
inline constexpr int kSessionNotFound = -32001;

// A JSON-RPC error as the body of a response with `status`.
http::Response rpc_error(int status, int code, std::string_view message,
                         const json::Value& id = nullptr);

// For http::ServerOptions::error_response.
http::Response refusal(const std::string& path, int status, const std::string& message);

}  // namespace cmcp::transport
