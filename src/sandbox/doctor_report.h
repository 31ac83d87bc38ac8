// What `container-mcp doctor` prints, from facts that the composition root collected. Pure
// functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "json/json.h"
#include "sandbox/backend_choice.h"
#include "sandbox/level.h"
#include "sandbox/limits_report.h"
#include "sandbox/probe.h"

namespace cmcp::sandbox {

struct DoctorFacts {
  Level required = Level::kL3;
  LayerReports layers;           // empty when no sandbox could be started
  std::optional<Error> failure;  // then: why
  HostFacts host;
  BackendChoice backend;
  std::string identity_mode;     // "unprivileged", "root, idmapped workspace", "root, server's uid"
  std::string limiter;           // "cgroup v2", "cgroup v1", "rlimit"
  std::string apparmor;          // the label that every run's init found on itself; "" = none
  std::string apparmor_reason;   // why none
  std::vector<LimitRow> limits;  // empty when there is no launcher
  std::string root_path;         // "new mount API"; "" when not known
  std::string python;            // path; "" when none was found
  std::vector<std::string> missing_commands;
  std::vector<std::string> warnings;
};

// True when the level is at least what is required: doctor's exit status.
bool doctor_ok(const DoctorFacts& facts);
// {"level","required","ok","cause","fix","backend","backend_version","backend_effects","layers":[{name,active,detail,fix}],"identity","limiter","limits","kernel",
//  "landlock_abi","python","missing_commands","warnings"}
json::Object doctor_json(const DoctorFacts& facts);
// The same for a person, lines ended by \n.
std::string doctor_text(const DoctorFacts& facts);

}  // namespace cmcp::sandbox
