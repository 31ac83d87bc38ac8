// What the two eras share: options, tools, resources, the runner, and the pieces of messages that
// are the same in both.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "mcp/call_runner.h"
#include "mcp/engine.h"
#include "mcp/revision.h"
#include "mcp/tool_registry.h"

namespace cmcp::mcp {

struct ProtocolContext {
  net::Reactor& reactor;
  EngineOptions options;
  ToolRegistry tools;
  ResourceReader* resources;  // may be null: no resources are offered
  std::shared_ptr<CallRunner> runner;
};

// serverInfo: name, version, and the title where the revision has one.
json::Object server_info(const ProtocolContext& context, const Features& features);
// The reporter for a call whose client gave `token`.
std::shared_ptr<ProgressReporter> make_progress(const ProtocolContext& context,
                                                const json::Value& token, const Features& features,
                                                const std::shared_ptr<Exchange>& exchange);
// -32603 for a call that broke off; the cause only in debug mode.
json::Value internal_error(const ProtocolContext& context, const json::Value& id,
                           const InternalFailure& failure);
// -32601 for `method`.
json::Value method_not_found(const json::Value& id, const std::string& method);

}  // namespace cmcp::mcp
