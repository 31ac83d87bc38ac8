// Levels L3 to L0 from layer reports, and the explanation of what is missing: cause and fix, in the
// operator's words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sandbox/probe.h"

namespace cmcp::sandbox {

enum class Level { kL0 = 0, kL1 = 1, kL2 = 2, kL3 = 3 };

// "L3"
const char* name_of(Level level);
// "L3" or "l3"; kInvalidArgument else, naming what is allowed.
Result<Level> parse_level(std::string_view text);

// L3: every layer. L2: Landlock, seccomp, both limits, no capabilities, no_new_privs. L1: the same
// without Landlock. L0: else.
Level level_of(const LayerReports& reports);

// What decides whether a sandbox can be built here, read from the host.
struct HostFacts {
  std::string kernel;                            // uname -r
  std::optional<int> apparmor_restricts_userns;  // kernel.apparmor_restrict_unprivileged_userns
  std::optional<int> unprivileged_userns_clone;  // kernel.unprivileged_userns_clone (Debian)
  std::optional<long long> max_user_namespaces;  // user.max_user_namespaces
  std::string apparmor_label;                    // of this process; "" without AppArmor
  int landlock_abi = 0;                          // 0: none
  bool seccomp_filter = false;
  bool proc_is_masked = false;  // something is mounted over parts of /proc (a container's masks)
  bool in_container = false;
  unsigned uid = 0;
};

// Reads them; a file that is absent leaves its fact unset.
HostFacts read_host_facts();

struct Diagnosis {
  std::string cause;
  std::string fix;
};

// Why no sandbox starts: `failure` is the launcher's error (its errno and message name the step,
// e.g. "uid_map").
Diagnosis diagnose_failure(const Error& failure, const HostFacts& facts);
// What to do about one inactive layer.
Diagnosis diagnose_layer(const LayerReport& report, const HostFacts& facts);

// Success, or kUnavailable with cause and fix: the text that refused runs and doctor show.
// `failure` is the launcher's or probe's error when nothing could be probed.
Status require_level(Level required, const LayerReports& reports,
                     const std::optional<Error>& failure, const HostFacts& facts);

}  // namespace cmcp::sandbox
