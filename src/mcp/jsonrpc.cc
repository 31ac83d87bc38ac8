#include "mcp/jsonrpc.h"

#include <cmath>
#include <utility>

namespace cmcp::mcp {
namespace {

// From here on a double cannot tell neighbouring integers apart, so that the client's digits may be
// lost.
constexpr double kExactIntegers = 9007199254740992.0;

Message invalid(json::Value id, int code, std::string problem) {
  Message message;
  message.id = std::move(id);
  message.error_code = code;
  message.problem = std::move(problem);
  return message;
}

std::string id_problem(const json::Value& id) {
  if (id.is_double()) {
    return "Invalid request: the id is a number too large to be sent back exactly; use a string or "
           "a smaller integer.";
  }
  return "Invalid request: the id must be a string or a number, not null, a boolean, an object or "
         "an array.";
}

}  // namespace

bool is_valid_id(const json::Value& id) {
  if (id.is_string() || id.is_int64() || id.is_uint64()) return true;
  return id.is_double() && std::fabs(id.get_double()) < kExactIntegers;
}

std::string id_key(const json::Value& id) {
  if (id.is_double()) {
    const double number = id.get_double();
    if (number == std::trunc(number) && std::fabs(number) < kExactIntegers) {
      return std::to_string(static_cast<std::int64_t>(number));
    }
  }
  return json::write(id);
}

Message classify(const json::Value& value) {
  const json::Object* object = value.if_object();
  if (object == nullptr) {
    return invalid(
        nullptr, rpc::kInvalidRequest,
        value.is_array()
            ? "Invalid request: batches are not accepted here; send one message at a time."
            : "Invalid request: a message is a JSON object.");
  }
  const json::Value* id = json::find(*object, "id");
  const json::Value* method = json::find(*object, "method");
  if (method == nullptr &&
      (json::find(*object, "result") != nullptr || json::find(*object, "error") != nullptr)) {
    Message response;
    response.kind = MessageKind::kResponse;
    if (id != nullptr) response.id = *id;
    return response;
  }
  if (id != nullptr && !is_valid_id(*id)) {
    return invalid(nullptr, rpc::kInvalidRequest, id_problem(*id));
  }
  const json::Value echoed = id != nullptr ? *id : json::Value(nullptr);
  const json::Value* version = json::find(*object, "jsonrpc");
  if (version == nullptr || !version->is_string() || json::view(version->get_string()) != "2.0") {
    return invalid(echoed, rpc::kInvalidRequest, "Invalid request: \"jsonrpc\" must be \"2.0\".");
  }
  if (method == nullptr || !method->is_string()) {
    return invalid(echoed, rpc::kInvalidRequest, "Invalid request: \"method\" must be a string.");
  }
  Message message;
  message.kind = id != nullptr ? MessageKind::kRequest : MessageKind::kNotification;
  message.id = echoed;
  message.method = std::string(json::view(method->get_string()));
  const json::Value* params = json::find(*object, "params");
  if (params != nullptr) {
    message.params = params->if_object();
    if (message.params == nullptr && message.kind == MessageKind::kRequest) {
      return invalid(echoed, rpc::kInvalidParams, "Invalid params: \"params\" must be an object.");
    }
  }
  return message;
}

json::Value result_response(const json::Value& id, json::Object result) {
  json::Object response;
  response["jsonrpc"] = "2.0";
  response["id"] = id;
  response["result"] = std::move(result);
  return response;
}

json::Value notification(std::string_view method, json::Object params) {
  json::Object message;
  message["jsonrpc"] = "2.0";
  message["method"] = json::String(method.data(), method.size());
  message["params"] = std::move(params);
  return message;
}

}  // namespace cmcp::mcp
