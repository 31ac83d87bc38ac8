// CallRunner: runs tools. Decodes arguments, hands them to the binding, keeps count of what runs,
// writes the audit record, and makes sure that each call settles exactly once: by its result, by a
// refusal, by an internal error or by its client. It knows no wire format.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_set>
#include <variant>

#include "auth/principal.h"
#include "json/json.h"
#include "mcp/in_flight.h"
#include "mcp/progress.h"
#include "mcp/tool.h"
#include "mcp/tool_registry.h"
#include "obs/audit.h"

namespace cmcp::mcp {

// The call broke off for a reason that is a defect of ours; `cause` is for the log and for debug
// mode.
struct InternalFailure {
  std::string cause;
};
// The client cancelled: nothing is to be answered.
struct ClientCancelled {};
using CallOutcome = std::variant<ToolResult, InternalFailure, ClientCancelled>;

struct CallRequest {
  auth::Principal principal;
  std::string transport;
  const ToolRegistry::Entry* entry = nullptr;
  json::Value arguments;
  std::shared_ptr<CallAccount> account;
  std::shared_ptr<ProgressReporter> progress;  // may be null
  std::function<void(CallOutcome)> settled;  // called exactly once, perhaps before start() returns
};

class RunningCall;

class CallRunner : public std::enable_shared_from_this<CallRunner> {
 public:
  CallRunner(net::Reactor& reactor, obs::AuditSink& audit, std::size_t max_calls);
  ~CallRunner();

  // Runs the call. nullptr when it settled at once.
  std::shared_ptr<InFlight> start(CallRequest request);
  // An audit record for a call that named no tool.
  void record_unknown_tool(const auth::Principal& principal, const std::string& transport,
                           const std::string& name);

  // Refuses new calls, cancels the running ones with an answer to their clients. `drained` is
  // called (through the reactor) when the last binding has returned.
  void shut_down(std::function<void()> drained);
  bool shutting_down() const { return shutting_down_; }
  // Bindings that have not returned yet.
  std::size_t running() const { return calls_.size(); }

 private:
  friend class RunningCall;
  void bind(const std::shared_ptr<RunningCall>& call, json::Object arguments);
  void finish_at_once(CallRequest& request, RefusalCode code, std::string message);
  void returned(const std::shared_ptr<RunningCall>& call);
  void record(const obs::AuditRecord& record);

  net::Reactor& reactor_;
  obs::AuditSink& audit_;
  std::size_t max_calls_;
  bool shutting_down_ = false;
  std::function<void()> drained_;
  std::unordered_set<std::shared_ptr<RunningCall>> calls_;
};

}  // namespace cmcp::mcp
