#include "managers/run_common/run_report.h"

#include <fmt/format.h>

#include <cstring>

namespace cmcp::managers {
namespace {

constexpr int kNotRun = 126;

void add_stream(RunReport& report, const char* name, const sandbox::CapturedStream& stream) {
  report.truncated = report.truncated || stream.truncated;
  report.omitted_bytes += stream.omitted_bytes;
  report.invalid_bytes += stream.invalid_bytes;
  if (!stream.kept_uri.empty()) report.kept.push_back({name, stream.kept_uri, stream.kept_bytes});
}

std::string in_megabytes(std::uint64_t bytes) {
  return fmt::format("{:.4g} MB", static_cast<double>(bytes) / (1024.0 * 1024.0));
}

json::Value kept_value(const std::vector<KeptStream>& kept) {
  if (kept.empty()) return nullptr;
  json::Array streams;
  for (const KeptStream& one : kept) {
    streams.push_back(json::Object{{"stream", one.stream}, {"uri", one.uri}, {"bytes", one.bytes}});
  }
  return streams;
}

json::Object type(const char* name) {
  return {{"type", name}};
}
json::Object nullable(const char* name) {
  return {{"type", json::Array{name, "null"}}};
}

}  // namespace

RunReport report_of(const sandbox::RunOutcome& outcome) {
  using End = sandbox::RunOutcome::End;
  RunReport report;
  report.exit_code = outcome.exit_code;
  report.signal = outcome.end == End::kSignaled ? outcome.signal : 0;
  report.timed_out = outcome.end == End::kTimedOut;
  report.limit = outcome.limit;
  if (report.timed_out && report.limit == sandbox::LimitKind::kNone)
    report.limit = sandbox::LimitKind::kTime;
  report.killed_processes = outcome.killed_processes;
  report.duration = outcome.duration;
  report.usage = outcome.usage;
  add_stream(report, "stdout", outcome.out);
  add_stream(report, "stderr", outcome.err);
  return report;
}

RunReport report_of_nothing_run() {
  RunReport report;
  report.exit_code = kNotRun;
  return report;
}

void add_fields(const RunReport& report, json::Object& object) {
  const char* limit = sandbox::name_of(report.limit);
  object["exit_code"] = report.exit_code;
  object["signal"] = report.signal == 0 ? json::Value(nullptr)
                                        : json::Value(json::String(signal_name(report.signal)));
  object["timed_out"] = report.timed_out;
  object["limit"] = limit == nullptr ? json::Value(nullptr) : json::Value(limit);
  object["truncated"] = report.truncated;
  object["omitted_bytes"] = report.omitted_bytes;
  object["invalid_bytes"] = report.invalid_bytes;
  object["kept"] = kept_value(report.kept);
  object["killed_processes"] = report.killed_processes;
  object["duration_ms"] = report.duration.count();
  object["usage"] = json::Object{{"cpu_ms", report.usage.cpu_ms},
                                 {"peak_memory_bytes", report.usage.peak_memory_bytes}};
}

void add_schema_properties(json::Object& properties) {
  properties["exit_code"] = type("integer");
  properties["signal"] = nullable("string");
  properties["timed_out"] = type("boolean");
  properties["limit"] = nullable("string");
  properties["truncated"] = type("boolean");
  properties["omitted_bytes"] = type("integer");
  properties["invalid_bytes"] = type("integer");
  json::Object kept = nullable("array");
  kept["items"] = json::Object{{"type", "object"},
                               {"properties", json::Object{{"stream", type("string")},
                                                           {"uri", type("string")},
                                                           {"bytes", type("integer")}}}};
  properties["kept"] = std::move(kept);
  properties["killed_processes"] = type("integer");
  properties["duration_ms"] = type("integer");
  properties["usage"] = json::Object{
      {"type", "object"},
      {"properties",
       json::Object{{"cpu_ms", type("integer")}, {"peak_memory_bytes", type("integer")}}}};
}

std::string end_note(const RunReport& report, const RunLimits& limits) {
  using sandbox::LimitKind;
  switch (report.limit) {
    case LimitKind::kNone:
      return "";
    case LimitKind::kTime:
      return fmt::format("Execution timed out after {:g} seconds.",
                         static_cast<double>(limits.timeout.count()) / 1000);
    case LimitKind::kMemory:
      return fmt::format("Memory limit of {} reached (peak {}).", in_megabytes(limits.memory.count),
                         in_megabytes(report.usage.peak_memory_bytes));
    case LimitKind::kCpu:
      return fmt::format("CPU time limit reached ({:g} seconds used).",
                         static_cast<double>(report.usage.cpu_ms) / 1000);
    case LimitKind::kProcesses:
      return "Limit on the number of processes reached.";
    case LimitKind::kDisk:
      return "Limit on disk space reached.";
    case LimitKind::kFileSize:
      return "Limit on the size of a file reached.";
  }
  return "";
}

void append_line(std::string& text, std::string_view note) {
  if (note.empty()) return;
  if (!text.empty() && text.back() != '\n') text += '\n';
  text += note;
}

std::string signal_name(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return "SIG" + (name == nullptr ? std::to_string(signal) : std::string(name));
}

}  // namespace cmcp::managers
