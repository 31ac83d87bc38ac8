// JSON-RPC 2.0: what a parsed value is, and the messages that go back. Knows nothing of MCP
// methods.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "json/json.h"

namespace cmcp::mcp {

namespace rpc {
inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;
inline constexpr int kResourceNotFound = -32002;    // legacy era only
inline constexpr int kHeaderMismatch = -32020;      // modern era only
inline constexpr int kUnsupportedVersion = -32022;  // modern era only
}  // namespace rpc

enum class MessageKind { kRequest, kNotification, kResponse, kInvalid };

// A message taken apart. `params` points into the value that was classified.
struct Message {
  MessageKind kind = MessageKind::kInvalid;
  json::Value id;      // of a request, to be echoed; null where it could not be read
  std::string method;  // of requests and notifications
  const json::Object* params = nullptr;  // nullptr when absent
  int error_code = 0;                    // of an invalid message
  std::string problem;                   // of an invalid message: a sentence for its sender
};

// Never fails: a message that breaks JSON-RPC is kInvalid with code and reason. An array is invalid
// here (transports split batches before). A message without "method" that has "result" or "error"
// is a response.
Message classify(const json::Value& value);

// True for a string, an integer, or a fraction; false for what JSON-RPC forbids and for integers
// that were too large to be kept exactly.
bool is_valid_id(const json::Value& id);
// A text that is equal for equal ids (1 and 1.0) and differs between the string "1" and the
// number 1.
std::string id_key(const json::Value& id);

json::Value result_response(const json::Value& id, json::Object result);
json::Value notification(std::string_view method, json::Object params);

}  // namespace cmcp::mcp
