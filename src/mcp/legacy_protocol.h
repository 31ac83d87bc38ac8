// The legacy era, revisions 2024-11-05 to 2025-11-25: initialize, sessions, cancellation by
// notification. Requests before initialize are served, as the latest legacy revision: the SDKs'
// servers do not agree on a refusal, and a person with a pipe gets an answer.
#pragma once

#include <memory>

#include "mcp/jsonrpc.h"
#include "mcp/protocol_context.h"

namespace cmcp::mcp {

class LegacyProtocol {
 public:
  explicit LegacyProtocol(ProtocolContext& context) : context_(context) {}

  void receive(const std::shared_ptr<Session>& session, const json::Value& value,
               const std::shared_ptr<Exchange>& exchange);
  void close(const std::shared_ptr<Session>& session);

 private:
  // One request, with what its handler needs.
  struct Request {
    std::shared_ptr<Session> session;
    const Message& message;
    const std::shared_ptr<Exchange>& exchange;
  };
  using Handler = void (LegacyProtocol::*)(const Request&);
  static Handler handler_of(const std::string& method);

  void handle_request(const Request& request);
  void handle_notification(const std::shared_ptr<Session>& session, const Message& message);

  void initialize(const Request& request);
  void ping(const Request& request);
  void set_level(const Request& request);
  void list_tools(const Request& request);
  void call_tool(const Request& request);
  void list_resources(const Request& request);
  void list_resource_templates(const Request& request);
  void read_resource(const Request& request);
  void discover(const Request& request);
  void list_nothing(const Request& request, const char* key);
  void start_call(const Request& request, const ToolRegistry::Entry& entry, json::Value arguments,
                  const std::optional<json::Value>& token);

  json::Object capabilities() const;

  ProtocolContext& context_;
};

}  // namespace cmcp::mcp
