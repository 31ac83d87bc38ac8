// RunReport: the fields that system_run_command and system_run_python share (contract section 2),
// and their JSON form.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/types.h"
#include "json/json.h"
#include "sandbox/runner.h"

namespace cmcp::managers {

struct KeptStream {
  std::string stream;  // "stdout", "stderr": the last part of the URI
  std::string uri;
  std::uint64_t bytes = 0;
};

struct RunReport {
  int exit_code = 0;
  int signal = 0;  // 0: none
  bool timed_out = false;
  sandbox::LimitKind limit = sandbox::LimitKind::kNone;
  bool truncated = false;
  std::uint64_t omitted_bytes = 0;  // of both streams
  std::uint64_t invalid_bytes = 0;
  std::vector<KeptStream> kept;
  std::uint32_t killed_processes = 0;
  std::chrono::milliseconds duration{0};
  sandbox::Usage usage;
};

// The report of a run that happened. For kNotStarted exit_code is 126 or 127, as the outcome has
// it.
RunReport report_of(const sandbox::RunOutcome& outcome);
// The report of a call whose own rules refused it before anything ran: 126.
RunReport report_of_nothing_run();

// Adds exit_code, signal, timed_out, limit, truncated, omitted_bytes, invalid_bytes, kept,
// killed_processes, duration_ms and usage to `object`: every one is always there.
void add_fields(const RunReport& report, json::Object& object);
// The same fields as properties of an output schema.
void add_schema_properties(json::Object& properties);

// What ended a run, as a line for its error text; "" when it ended by itself. "Execution timed out
// after 2 seconds.", "Memory limit of 256 MB reached (peak 255.8 MB)."
struct RunLimits {
  std::chrono::milliseconds timeout{0};
  Bytes memory;
};
std::string end_note(const RunReport& report, const RunLimits& limits);

// Appends `note` to `text` as a line of its own.
void append_line(std::string& text, std::string_view note);

// "SIGSEGV"; "SIG42" for a number without a name.
std::string signal_name(int signal);

}  // namespace cmcp::managers
