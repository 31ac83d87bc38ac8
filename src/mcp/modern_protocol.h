// The modern era, revision 2026-07-28: each request carries its envelope, there is no session;
// server/discover instead of initialize; every result has resultType and serverInfo.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "mcp/jsonrpc.h"
#include "mcp/protocol_context.h"

namespace cmcp::mcp {

class ModernProtocol {
 public:
  explicit ModernProtocol(ProtocolContext& context) : context_(context) {}

  // The request in flight, or nullptr when it is answered already. A message without id gets no
  // answer.
  std::shared_ptr<InFlight> receive(const auth::Principal& principal, const std::string& transport,
                                    const json::Value& value, const ModernHeaders* headers,
                                    const std::shared_ptr<Exchange>& exchange);

 private:
  struct Request {
    const auth::Principal& principal;
    const std::string& transport;
    const Message& message;
    const std::shared_ptr<Exchange>& exchange;
  };
  using Handler = std::shared_ptr<InFlight> (ModernProtocol::*)(const Request&);
  static Handler handler_of(const std::string& method);

  std::shared_ptr<InFlight> discover(const Request& request);
  std::shared_ptr<InFlight> list_tools(const Request& request);
  std::shared_ptr<InFlight> call_tool(const Request& request);
  std::shared_ptr<InFlight> list_resources(const Request& request);
  std::shared_ptr<InFlight> list_resource_templates(const Request& request);
  std::shared_ptr<InFlight> read_resource(const Request& request);
  std::shared_ptr<InFlight> list_nothing(const Request& request, const char* key);
  std::shared_ptr<InFlight> start_call(const Request& request, const ToolRegistry::Entry& entry,
                                       json::Value arguments,
                                       const std::optional<json::Value>& token);

  // Adds what every result of this era has.
  json::Object complete(json::Object result) const;
  std::shared_ptr<CallAccount> account_of(const auth::Principal& principal);

  ProtocolContext& context_;
  std::map<std::string, std::shared_ptr<CallAccount>>
      accounts_;  // by principal; tokens are configured, so few
};

}  // namespace cmcp::mcp
