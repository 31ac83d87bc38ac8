#include "sandbox/profiles.h"

#include <limits.h>
#include <unistd.h>

#include <string_view>

#include "sandbox/plan_builder.h"
#include "sandbox/restricted_view.h"
#include "sandbox/root_view.h"
#include "sandbox/seccomp_policy.h"

namespace cmcp::sandbox {
namespace {

std::vector<std::string> environment_of(const ProfileOptions& options) {
  std::vector<std::string> environment = {
      "PATH=/usr/local/bin:/usr/bin:/bin",
      "HOME=/tmp",
      "USER=sandbox",
      "LOGNAME=sandbox",
      "SHELL=/bin/bash",
      "TMPDIR=/tmp",
      "LANG=C.UTF-8",
      "TZ=" + options.timezone,
      // Nobody looks at a terminal: no colours, no pager that waits for a key.
      "TERM=dumb",
      "PAGER=cat",
      "GIT_PAGER=cat",
  };
  environment.insert(environment.end(), options.environment.begin(), options.environment.end());
  return environment;
}

ViewOptions view_options(const ProfileOptions& options) {
  return {.tmp_size = options.tmp_size,
          .data = options.data,
          .programs = {},
          .writable_roots = options.writable_roots};
}

Result<Profile> make_profile(const char* name, View view, bool restricted, const Limits& limits,
                             const ProfileOptions& options) {
  Profile profile;
  profile.name = name;
  profile.root = std::move(view.root);
  profile.landlock = std::move(view.landlock);
  profile.limits = limits;
  profile.environment = environment_of(options);
  profile.workspace_exec = !restricted;
  CMCP_TRY(profile.seccomp,
           compile_seccomp(seccomp_options(restricted, options.has_memory_cgroup)));
  return profile;
}

Result<Profile> bash_profile(const ProfileOptions& options, Profiles& result) {
  if (!options.restricted) {
    CMCP_TRY(View view, system_view(view_options(options)));
    return make_profile(kBashProfile, std::move(view), false, options.bash_limits, options);
  }
  RestrictedOptions restricted;
  restricted.view = view_options(options);
  restricted.commands = options.allowed_commands;
  CMCP_TRY(RestrictedView view, restricted_view(restricted));
  result.listed = std::move(view.listed);
  result.missing = std::move(view.missing);
  result.warnings = view.view.warnings;
  return make_profile(kBashProfile, std::move(view.view), true, options.bash_limits, options);
}

Result<Profile> python_profile(const ProfileOptions& options) {
  ViewOptions view = view_options(options);
  view.programs.push_back(options.python);
  CMCP_TRY(View system, system_view(view));
  return make_profile(kPythonProfile, std::move(system), false, options.python_limits, options);
}

// The same sandbox with the probe's program in it, and a writable place that Landlock alone
// forbids.
Profile probe_twin(Profile profile, const char* name, const HostPath& program) {
  profile.name = name;
  const std::string target = kProbeProgram;
  profile.root.directories.push_back({"/.probe"});
  profile.root.directories.push_back({kProbeUnruled});
  profile.root.binds.push_back({program, {target}, true, false});
  profile.root.tmpfs.push_back({{kProbeUnruled}, Bytes::kibi(64), 16, 01777, false});
  profile.landlock.push_back({{target}, Access::kExecuteFile});
  return profile;
}

}  // namespace

SeccompOptions seccomp_options(bool restricted, bool has_memory_cgroup) {
  SeccompOptions options;
  options.deny_memfd = restricted || !has_memory_cgroup;
  options.deny_sysv_memory = !has_memory_cgroup;
  options.deny_socket_buffers = !has_memory_cgroup;
  return options;
}

const Profile* Profiles::find(const std::string& name) const {
  for (const auto& profile : all) {
    if (profile.name == name) return &profile;
  }
  return nullptr;
}

Result<Profiles> build_profiles(const ProfileOptions& options) {
  Profiles result;
  result.bash = "/bin/bash";
  CMCP_TRY(Profile bash, bash_profile(options, result));
  result.all.push_back(std::move(bash));
  if (!options.python.value.empty()) {
    CMCP_TRY(Profile python, python_profile(options));
    result.all.push_back(std::move(python));
  }
  if (options.probe_program.value.empty()) return result;
  const std::size_t ordinary = result.all.size();
  for (std::size_t i = 0; i < ordinary; ++i) {
    const char* name = result.all[i].name == kBashProfile ? kProbeBashProfile : kProbePythonProfile;
    result.all.push_back(probe_twin(result.all[i], name, options.probe_program));
  }
  return result;
}

std::string host_timezone() {
  char target[PATH_MAX];
  const ssize_t size = readlink("/etc/localtime", target, sizeof(target));
  const std::string_view text(target, size > 0 ? static_cast<std::size_t>(size) : 0);
  constexpr std::string_view kZones = "zoneinfo/";
  const auto at = text.find(kZones);
  return at == std::string_view::npos ? "UTC" : std::string(text.substr(at + kZones.size()));
}

}  // namespace cmcp::sandbox
