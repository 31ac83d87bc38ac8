#include "managers/python/python_result.h"

#include <utility>

namespace cmcp::managers {
namespace {

// What the harness sent. Code that found its descriptor may have written there: whatever is not its
// form is nothing.
struct Envelope {
  json::Value result;
  bool memory_error = false;
  bool truncated = false;
};

bool flag(const json::Value& envelope, std::string_view name) {
  const json::Value* value = json::find(envelope, name);
  return value != nullptr && value->is_bool() && value->get_bool();
}

Envelope read_envelope(const sandbox::RunOutcome& outcome) {
  if (outcome.result.empty() || outcome.result_overflow) return {};
  Result<json::Value> parsed = json::parse(outcome.result);
  if (!parsed.ok()) return {};
  Envelope envelope;
  if (const json::Value* result = json::find(*parsed, "result")) envelope.result = *result;
  envelope.memory_error = flag(*parsed, "memory_error");
  envelope.truncated = flag(*parsed, "truncated");
  return envelope;
}

}  // namespace

PythonResult python_result_of(sandbox::RunOutcome outcome, const RunLimits& limits) {
  using End = sandbox::RunOutcome::End;
  Envelope envelope = read_envelope(outcome);
  PythonResult out;
  out.report = report_of(outcome);
  out.output = std::move(outcome.out.text);
  out.error = std::move(outcome.err.text);
  if (outcome.end == End::kNotStarted) {
    append_line(out.error, outcome.failure);
    return out;
  }
  if (out.report.limit == sandbox::LimitKind::kNone && envelope.memory_error) {
    out.report.limit = sandbox::LimitKind::kMemory;  // Python was refused memory, and nobody caught
                                                     // the MemoryError
  }
  out.report.truncated = out.report.truncated || envelope.truncated;
  out.success = outcome.end == End::kExited && outcome.exit_code == 0;
  if (outcome.end == End::kExited) out.result = std::move(envelope.result);
  std::string note = end_note(out.report, limits);
  if (out.report.limit == sandbox::LimitKind::kMemory)
    note += " The setting PYTHON_MEMORY_LIMIT changes it.";
  append_line(out.error, note);
  if (out.report.limit == sandbox::LimitKind::kNone && out.report.signal != 0) {
    append_line(out.error, "Ended by signal " + signal_name(out.report.signal) + ".");
  }
  return out;
}

PythonResult python_not_run(std::string error) {
  PythonResult out;
  out.error = std::move(error);
  out.report = report_of_nothing_run();
  return out;
}

}  // namespace cmcp::managers
