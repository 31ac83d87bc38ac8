// The two profiles of this server (bash, Python) and their probe twins, made once at start from
// plain values.
//
//   CMCP_TRY(Profiles profiles, build_profiles(options));
//   launcher.start(profiles.all());
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "sandbox/helper/profile.h"
#include "sandbox/seccomp_policy.h"

namespace cmcp::sandbox {

inline constexpr const char* kBashProfile = "bash";
inline constexpr const char* kPythonProfile = "python";
inline constexpr const char* kProbeBashProfile = "probe.bash";
inline constexpr const char* kProbePythonProfile = "probe.python";
// Where the probe's program is in a probe profile, and a writable directory that no Landlock rule
// names.
inline constexpr const char* kProbeProgram = "/.probe/cmcp-probe";
inline constexpr const char* kProbeUnruled = "/.probe/unruled";

struct ProfileOptions {
  bool restricted = true;                     // COMMAND_RESTRICTED
  std::vector<std::string> allowed_commands;  // BASH_ALLOWED_COMMANDS
  Limits bash_limits;
  Limits python_limits;
  Bytes tmp_size = Bytes::mebi(64);  // SANDBOX_TMP_MB
  std::vector<HostPath> data;        // DATA_DIR when it exists
  HostPath python;         // PYTHON_PATH; "" when there is none: then no python profile is made
  HostPath probe_program;  // libexec/cmcp-probe; "": no probe profiles
  std::vector<HostPath>
      writable_roots;  // workspaces and scratch: nothing below them becomes part of a view
  bool has_memory_cgroup = false;        // false: memfd and SysV shared memory are denied
  std::vector<std::string> environment;  // NAME=VALUE of SANDBOX_ENV_PASS, added last
  std::string timezone = "UTC";          // TZ
};

struct Profiles {
  std::vector<Profile> all;         // "bash", "python", "probe.bash", "probe.python"
  std::vector<std::string> listed;  // restricted: commands that the view has
  std::vector<std::string>
      missing;  // restricted: commands left out because the host has not got them
  std::vector<std::string> warnings;  // for the log and doctor
  std::string bash;                   // absolute path of bash in the sandbox

  // The profile of that name, or nullptr.
  const Profile* find(const std::string& name) const;
};

Result<Profiles> build_profiles(const ProfileOptions& options);

// "Etc/UTC" for a link /etc/localtime -> /usr/share/zoneinfo/Etc/UTC; "UTC" when there is none.
std::string host_timezone();

// What the filter of a profile leaves out: `restricted` is one with a command list. Without a
// memory cgroup nothing counts memfd, SysV segments and what waits in sockets.
SeccompOptions seccomp_options(bool restricted, bool has_memory_cgroup);

}  // namespace cmcp::sandbox
