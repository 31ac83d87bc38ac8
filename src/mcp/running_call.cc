#include "mcp/running_call.h"

#include <utility>

#include "base/log.h"

namespace cmcp::mcp {

std::uint64_t text_size(const json::Value& value) {
  constexpr std::uint64_t kNumberBytes = 8;
  std::uint64_t size = 0;
  if (value.is_string()) return value.get_string().size();
  if (const json::Array* array = value.if_array()) {
    for (const json::Value& item : *array) size += text_size(item);
    return size;
  }
  if (const json::Object* object = value.if_object()) {
    for (const auto& member : *object) size += member.key().size() + text_size(member.value());
    return size;
  }
  return kNumberBytes;
}

namespace {

// How a failed run ended, in the words of its result: "limit memory", "signal SIGSYS", "exit 126";
// empty for tools that run nothing.
std::string end_of_run(const json::Object& object) {
  for (const char* field : {"limit", "signal"}) {
    const json::Value* value = json::find(object, field);
    if (value != nullptr && value->is_string())
      return std::string(field) + " " + std::string(value->get_string());
  }
  const json::Value* code = json::find(object, "exit_code");
  if (code == nullptr || !code->is_number()) return "";
  return "exit " + std::to_string(code->to_number<std::int64_t>());
}

}  // namespace

obs::AuditRecord audit_record(const CallRequest& request, const CallOutcome& outcome) {
  obs::AuditRecord record;
  record.principal = request.principal.id;
  record.transport = request.transport;
  record.tool = request.entry->tool->name;
  record.argument_bytes = text_size(request.arguments);
  if (std::holds_alternative<ClientCancelled>(outcome)) {
    record.outcome = "cancelled";
  } else if (std::holds_alternative<InternalFailure>(outcome)) {
    record.outcome = "failed";
    record.detail = "internal";
  } else {
    const ToolResult& result = std::get<ToolResult>(outcome);
    const json::Value* success = json::find(result.object, "success");
    if (result.refusal) {
      const bool cancelled = result.refusal->code == RefusalCode::kCancelled;
      record.outcome = cancelled ? "cancelled" : "refused";
      record.detail = name_of(result.refusal->code);
    } else {
      const bool failed = success != nullptr && success->is_bool() && !success->get_bool();
      record.outcome = failed ? "failed" : "ok";
      if (failed) record.detail = end_of_run(result.object);
    }
  }
  return record;
}

RunningCall::RunningCall(std::weak_ptr<CallRunner> runner, CallRequest request)
    : runner_(std::move(runner)),
      request_(std::move(request)),
      started_(std::chrono::steady_clock::now()),
      argument_bytes_(text_size(request_.arguments)) {
  request_.arguments = nullptr;  // they may be large, and the binding has its own
}

void RunningCall::on_cancel(std::function<void()> task) {
  if (cancelled_) {
    task();
  } else if (!returned_) {
    cancel_tasks_.push_back(std::move(task));
  }
}

void RunningCall::progress(std::string_view new_output) {
  if (!settled_ && request_.progress) request_.progress->output(new_output);
}

void RunningCall::run_cancel_tasks() {
  cancelled_ = true;
  const std::vector<std::function<void()>> tasks = std::exchange(cancel_tasks_, {});
  for (const auto& task : tasks) task();
}

void RunningCall::cancel_by_client() {
  if (settled_) return;
  const auto self = shared_from_this();
  settle(ClientCancelled{});
  if (!returned_) run_cancel_tasks();
}

void RunningCall::cancel_by_shutdown() {
  if (settled_) return;
  const auto self = shared_from_this();
  settle(ToolResult::refused(RefusalCode::kCancelled,
                             "The server is shutting down; the call was stopped."));
  if (!returned_) run_cancel_tasks();
}

// Without a runner the engine is gone, and with it the tools that `entry` points to and whoever
// could be answered.
void RunningCall::done(ToolResult result) {
  const auto self = shared_from_this();
  if (runner_.expired()) return;
  if (returned_) {
    log::error("a tool returned twice", {{"tool", request_.entry->tool->name}});
    return;
  }
  leave();
  settle(std::move(result));
}

void RunningCall::broke(std::string cause) {
  const auto self = shared_from_this();
  if (returned_ || runner_.expired()) return;
  leave();
  log::error("a tool call broke off", {{"tool", request_.entry->tool->name}, {"cause", cause}});
  settle(InternalFailure{std::move(cause)});
}

void RunningCall::leave() {
  returned_ = true;
  cancel_tasks_.clear();
  if (const auto runner = runner_.lock()) runner->returned(shared_from_this());
}

void RunningCall::settle(CallOutcome outcome) {
  if (std::exchange(settled_, true)) return;
  if (request_.progress) std::exchange(request_.progress, nullptr)->stop();
  const auto runner = runner_.lock();
  if (!runner) return;
  obs::AuditRecord record = audit_record(request_, outcome);
  record.argument_bytes = argument_bytes_;
  record.duration = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - started_);
  runner->record(record);
  const auto settled = std::exchange(request_.settled, nullptr);
  settled(std::move(outcome));
}

}  // namespace cmcp::mcp
