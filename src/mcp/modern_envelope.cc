#include "mcp/modern_envelope.h"

#include <utility>
#include <vector>

#include "base/base64.h"
#include "base/strings.h"
#include "base/utf8.h"

namespace cmcp::mcp {
namespace {

constexpr std::string_view kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr std::string_view kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";

LadderRefusal bad_envelope(std::string message) {
  return {rpc::kInvalidParams, std::move(message), {}, 400};
}

LadderRefusal mismatch(std::string message) {
  return {rpc::kHeaderMismatch, "Header mismatch: " + message, {}, 400};
}

const json::Value* meta_of(const Message& message) {
  return message.params == nullptr ? nullptr : json::find(*message.params, "_meta");
}

std::optional<LadderRefusal> check_keys(const Message& message) {
  const json::Value* meta = meta_of(message);
  if (meta != nullptr && !meta->is_object()) {
    return bad_envelope("Invalid params: \"_meta\" must be an object.");
  }
  std::vector<std::string> missing;
  for (const std::string_view key : {kVersionKey, kCapabilitiesKey}) {
    if (meta == nullptr || json::find(*meta, key) == nullptr) missing.emplace_back(key);
  }
  if (!missing.empty()) {
    return bad_envelope("Invalid params: params._meta lacks " + join(missing, " and ") + ".");
  }
  if (!json::find(*meta, kVersionKey)->is_string()) {
    return bad_envelope("Invalid params: " + std::string(kVersionKey) + " must be a string.");
  }
  if (!json::find(*meta, kCapabilitiesKey)->is_object()) {
    return bad_envelope("Invalid params: " + std::string(kCapabilitiesKey) + " must be an object.");
  }
  return std::nullopt;
}

std::optional<LadderRefusal> check_version_header(const std::string& version,
                                                  const ModernHeaders& headers) {
  if (headers.duplicated) return mismatch("a routing header came more than once.");
  if (!headers.protocol_version) return mismatch("the header MCP-Protocol-Version is missing.");
  if (strip(*headers.protocol_version) != version) {
    return mismatch("MCP-Protocol-Version is \"" + printable(*headers.protocol_version, 60) +
                    "\", the body says \"" + printable(version, 60) + "\".");
  }
  return std::nullopt;
}

std::optional<LadderRefusal> check_version(const std::string& version) {
  if (version == kModernRevision) return std::nullopt;
  const json::Object data{{"supported", json::Array{json::String(kModernRevision)}},
                          {"requested", version}};
  return LadderRefusal{rpc::kUnsupportedVersion,
                       "Unsupported protocol version: " + printable(version, 60) +
                           "; with _meta in each request " + std::string(kModernRevision) +
                           " is supported, older revisions through initialize.",
                       data, 400};
}

// The member of params that Mcp-Name repeats; "" for methods without one.
std::string_view name_member(const std::string& method) {
  if (method == "tools/call" || method == "prompts/get") return "name";
  if (method == "resources/read") return "uri";
  return "";
}

std::optional<LadderRefusal> check_method_headers(const Message& message,
                                                  const ModernHeaders& headers) {
  if (!headers.method) return mismatch("the header Mcp-Method is missing.");
  if (strip(*headers.method) != message.method) {
    return mismatch("Mcp-Method is \"" + printable(*headers.method, 60) + "\", the body says \"" +
                    printable(message.method, 60) + "\".");
  }
  const std::string_view member = name_member(message.method);
  if (member.empty()) return std::nullopt;
  if (!headers.name)
    return mismatch("the header Mcp-Name is missing; " + message.method + " needs it.");
  const std::optional<std::string> name = decode_header_value(*headers.name);
  if (!name) return mismatch("Mcp-Name is not valid base64 of UTF-8 text.");
  const json::Value* body = json::find(*message.params, member);
  // A body without the name is the method's own error.
  if (body == nullptr || !body->is_string()) return std::nullopt;
  if (*name != json::view(body->get_string())) {
    return mismatch("Mcp-Name is \"" + printable(*name, 60) + "\", the body says \"" +
                    printable(json::view(body->get_string()), 60) + "\".");
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> decode_header_value(std::string_view value) {
  constexpr std::string_view kPrefix = "=?base64?";
  constexpr std::string_view kSuffix = "?=";
  value = strip(value);
  const bool encoded = value.size() >= kPrefix.size() + kSuffix.size() &&
                       value.substr(0, kPrefix.size()) == kPrefix &&
                       value.substr(value.size() - kSuffix.size()) == kSuffix;
  if (!encoded) return std::string(value);
  value.remove_prefix(kPrefix.size());
  value.remove_suffix(kSuffix.size());
  Result<std::string> decoded = base64::decode(value);
  if (!decoded.ok() || !utf8::is_valid(decoded.value())) return std::nullopt;
  return std::move(decoded).value();
}

std::optional<LadderRefusal> check_envelope(const Message& message, const ModernHeaders* headers) {
  if (auto refusal = check_keys(message)) return refusal;
  const std::string version = *json::find_string(*meta_of(message), kVersionKey);
  if (headers != nullptr) {
    if (auto refusal = check_version_header(version, *headers)) return refusal;
  }
  if (auto refusal = check_version(version)) return refusal;
  if (headers != nullptr) return check_method_headers(message, *headers);
  return std::nullopt;
}

}  // namespace cmcp::mcp
