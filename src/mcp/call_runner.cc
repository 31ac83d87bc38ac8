#include "mcp/call_runner.h"

#include <exception>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "mcp/running_call.h"

namespace cmcp::mcp {
namespace {

// Shared by all copies of a call's done: when the last copy goes without having been called, the
// call has broken off.
class DoneGuard {
 public:
  explicit DoneGuard(std::weak_ptr<RunningCall> call) : call_(std::move(call)) {}
  DoneGuard(const DoneGuard&) = delete;
  DoneGuard& operator=(const DoneGuard&) = delete;
  ~DoneGuard() {
    if (const auto call = call_.lock()) call->broke("the tool ended without a result");
  }
  void finish(ToolResult result) {
    if (const auto call = call_.lock()) call->done(std::move(result));
  }

 private:
  std::weak_ptr<RunningCall> call_;
};

}  // namespace

CallRunner::CallRunner(net::Reactor& reactor, obs::AuditSink& audit, std::size_t max_calls)
    : reactor_(reactor), audit_(audit), max_calls_(max_calls) {}

CallRunner::~CallRunner() = default;

std::shared_ptr<InFlight> CallRunner::start(CallRequest request) {
  if (shutting_down_) {
    finish_at_once(request, RefusalCode::kCancelled,
                   "The server is shutting down and takes no new calls.");
    return nullptr;
  }
  Result<json::Object> arguments = ToolRegistry::decode(*request.entry, request.arguments);
  if (!arguments.ok()) {
    finish_at_once(request, RefusalCode::kInvalidArgument, arguments.error().message());
    return nullptr;
  }
  if (request.account->running >= max_calls_) {
    finish_at_once(request, RefusalCode::kBusy,
                   "There are " + std::to_string(max_calls_) +
                       " calls running already, which is the limit; wait for one of them to end.");
    return nullptr;
  }
  const auto call = std::make_shared<RunningCall>(weak_from_this(), std::move(request));
  calls_.insert(call);
  ++call->request().account->running;
  if (call->request().progress) call->request().progress->start();
  bind(call, std::move(arguments).value());
  return call->settled() ? nullptr : call;
}

// The one place where an exception of a binding, or of a library below it, is caught.
void CallRunner::bind(const std::shared_ptr<RunningCall>& call, json::Object arguments) {
  auto guard = std::make_shared<DoneGuard>(call);
  std::string cause;
  try {
    call->request().entry->tool->binding(call, std::move(arguments), [guard](ToolResult result) {
      guard->finish(std::move(result));
    });
    return;
  } catch (const std::exception& exception) {
    cause = exception.what();
  } catch (...) {
    cause = "an exception of unknown type";
  }
  call->broke(cause);
}

void CallRunner::finish_at_once(CallRequest& request, RefusalCode code, std::string message) {
  CallOutcome outcome = ToolResult::refused(code, std::move(message));
  record(audit_record(request, outcome));
  request.settled(std::move(outcome));
}

void CallRunner::record_unknown_tool(const auth::Principal& principal, const std::string& transport,
                                     const std::string& name) {
  obs::AuditRecord unknown;
  unknown.principal = principal.id;
  unknown.transport = transport;
  unknown.tool = printable(name, 64);
  unknown.outcome = "refused";
  unknown.detail = "unknown_tool";
  record(unknown);
}

void CallRunner::returned(const std::shared_ptr<RunningCall>& call) {
  if (calls_.erase(call) == 0) return;
  --call->request().account->running;
  if (calls_.empty() && drained_) reactor_.post(std::exchange(drained_, nullptr));
}

void CallRunner::record(const obs::AuditRecord& record) {
  audit_.record(record);
}

void CallRunner::shut_down(std::function<void()> drained) {
  shutting_down_ = true;
  drained_ = std::move(drained);
  const std::vector<std::shared_ptr<RunningCall>> calls(calls_.begin(), calls_.end());
  for (const auto& call : calls) call->cancel_by_shutdown();
  if (calls_.empty() && drained_) reactor_.post(std::exchange(drained_, nullptr));
}

}  // namespace cmcp::mcp
