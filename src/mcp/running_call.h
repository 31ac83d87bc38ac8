// RunningCall: one call from its binding's start to its binding's return. Settling (what the client
// sees) and returning (the binding calls done) are two events: a cancelled call settles at once and
// returns when its work has stopped.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "mcp/call_runner.h"

namespace cmcp::mcp {

class RunningCall : public CallContext,
                    public InFlight,
                    public std::enable_shared_from_this<RunningCall> {
 public:
  RunningCall(std::weak_ptr<CallRunner> runner, CallRequest request);

  const auth::Principal& principal() const override { return request_.principal; }
  void on_cancel(std::function<void()> task) override;
  bool cancelled() const override { return cancelled_; }
  void progress(std::string_view new_output) override;

  void cancel_by_client() override;
  bool settled() const override { return settled_; }
  // Cancels with an answer: the refusal `cancelled`.
  void cancel_by_shutdown();

  // The binding's done: settles unless settled. A second call is a defect of the binding, which is
  // logged.
  void done(ToolResult result);
  // The binding broke off without calling done.
  void broke(std::string cause);

  const CallRequest& request() const { return request_; }

 private:
  void settle(CallOutcome outcome);
  void run_cancel_tasks();
  void leave();

  std::weak_ptr<CallRunner> runner_;
  CallRequest request_;
  std::chrono::steady_clock::time_point started_;
  std::uint64_t argument_bytes_ = 0;
  std::vector<std::function<void()>> cancel_tasks_;
  bool cancelled_ = false;
  bool settled_ = false;
  bool returned_ = false;
};

// The audit record of a call that ended with `outcome`.
obs::AuditRecord audit_record(const CallRequest& request, const CallOutcome& outcome);
// The size of the text in `value`: strings, keys, and a few bytes for each number; no serialisation
// is made for it.
std::uint64_t text_size(const json::Value& value);

}  // namespace cmcp::mcp
