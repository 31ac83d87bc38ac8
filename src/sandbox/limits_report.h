// What limits a run, by which mechanism, for doctor: one row for each limit, true on this machine.
#pragma once

#include <string>
#include <vector>

#include "json/json.h"
#include "sandbox/helper/facts.h"

namespace cmcp::sandbox {

struct LimitRow {
  std::string limit;    // "memory", "cpu", "cpu_share", "time", …
  std::string value;    // "512 MB (Python: 256 MB)"
  std::string limiter;  // "cgroup_v2", "rlimit", "watchdog", …: what keeps it
  std::string note;     // what is not seen or not kept; "" where nothing is missing
};

// The settings that limits come from.
struct LimitSettings {
  Limits bash;
  Limits python;
  Bytes tmp;
  std::uint64_t bash_timeout = 0;  // seconds, the most that a call may ask for
  std::uint64_t python_timeout = 0;
  std::uint64_t quota = 0;         // bytes; 0: none
  std::uint64_t output_chars = 0;  // 0: no limit
  std::uint64_t output_keep_mb = 0;
};

// Pure. In the order in which doctor shows them.
std::vector<LimitRow> limit_rows(const LauncherFacts& facts, const LimitSettings& settings);

// [{limit,value,limiter,note}]
json::Array limits_json(const std::vector<LimitRow>& rows);
// A line each, ended by \n.
std::string limits_text(const std::vector<LimitRow>& rows);

}  // namespace cmcp::sandbox
