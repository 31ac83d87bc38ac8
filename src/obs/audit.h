// The audit record: one for each tool call, whatever its end. Arguments and outputs are never
// recorded, only their size.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace cmcp::obs {

struct AuditRecord {
  std::string principal;
  std::string transport;  // stdio, http, sse, cli
  std::string tool;
  std::string outcome;  // ok, failed (success false), refused (isError), cancelled
  std::string detail;   // for refusals: the error code; for failed runs: "limit memory", "exit 1"
  std::uint64_t argument_bytes = 0;
  std::chrono::milliseconds duration{0};
};

// Receives records on the reactor thread. Implementations never block for long and never throw.
class AuditSink {
 public:
  virtual ~AuditSink() = default;
  virtual void record(const AuditRecord& record) = 0;
};

}  // namespace cmcp::obs
