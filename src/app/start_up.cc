#include "app/start_up.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "app/backend.h"
#include "app/service_user.h"
#include "base/log.h"
#include "managers/python/interpreter.h"

namespace cmcp::app {
namespace {

using sandbox::LauncherClient;
using sandbox::Limits;

// A named workspace is mounted on a directory of that name in the one at /workspace. Ours gets it;
// in a directory of the user's own nothing is made that was not asked for.
Status prepare_mount_point(const config::WorkspaceMount& base, const config::WorkspaceMount& named,
                           const ServiceUser* owner) {
  const std::string path = base.path.value + "/" + named.name;
  if (!base.users_own) CMCP_CHECK_OK(ensure_directory("SANDBOX_ROOT", path, 0755, owner));
  struct stat info{};
  if (::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) return {};
  return Error(ErrorCode::kInvalidArgument,
               "The workspace " + named.name + " is to appear as /workspace/" + named.name +
                   ", for which " + base.path.value + " needs a directory " + named.name +
                   " (no link). Make it, or give every workspace a name.");
}

// The directories of a start that nobody has to make by hand.
Status make_directories(const Prepared& prepared, const ServiceUser* owner) {
  CMCP_CHECK_OK(ensure_directory("SANDBOX_ROOT", prepared.layout.sandbox_root.value, 0755, owner));
  for (const config::WorkspaceMount& mount : prepared.layout.mounts) {
    if (!mount.users_own)
      CMCP_CHECK_OK(ensure_directory("SANDBOX_ROOT", mount.path.value, 0755, owner));
  }
  // The first mount is the one without a name.
  const config::WorkspaceMount& base = prepared.layout.mounts.front();
  for (const config::WorkspaceMount& mount : prepared.layout.mounts) {
    if (!mount.name.empty()) CMCP_CHECK_OK(prepare_mount_point(base, mount, owner));
  }
  return {};
}

Status make_private_directories(const Prepared& prepared, const ServiceUser* owner) {
  CMCP_CHECK_OK(ensure_directory("STATE_DIR", prepared.layout.state_dir.value, 0700, owner));
  return {};
}

// Asked as the user that serves: a start by root has given up its rights by now.
Status check_state_directory(const Prepared& prepared, bool dropped) {
  const std::string& path = prepared.layout.state_dir.value;
  if (::faccessat(AT_FDCWD, path.c_str(), W_OK | X_OK, AT_EACCESS) == 0) return {};
  const std::string who = dropped ? std::string("the server runs as ") + kServiceUser +
                                        " after a start by root, and this user"
                                  : std::string("this user");
  return Error(
      ErrorCode::kPermissionDenied,
      "STATE_DIR=" + path + ": " + who +
          " may not enter it or write to it. Set SANDBOX_ROOT (state lies beside it) to a place "
          "that it may "
          "use, such as /var/lib/container-mcp/sandbox, or start as the user to whom it belongs.");
}

Status check_python(const config::Settings& settings) {
  const std::string& path = settings.text("PYTHON_PATH");
  if (path.empty() || ::access(path.c_str(), X_OK) == 0) return {};
  return Error(
      ErrorCode::kInvalidArgument,
      "PYTHON_PATH=" + path +
          " is no program that can be executed; name a Python 3.11 or later by its absolute "
          "path, or leave it unset for the newest below /usr/bin (set by: " +
          settings.origin("PYTHON_PATH") + ")");
}

std::uint32_t as_u32(std::int64_t value) {
  return static_cast<std::uint32_t>(value);
}

Limits limits_of(const config::Settings& settings, const char* memory_setting,
                 const char* timeout_setting) {
  Limits limits;
  limits.memory = Bytes::mebi(static_cast<std::uint64_t>(settings.integer(memory_setting)));
  limits.processes = as_u32(settings.integer("SANDBOX_MAX_PROCESSES"));
  limits.cpu_seconds = settings.is_set("SANDBOX_CPU_SECONDS")
                           ? as_u32(settings.integer("SANDBOX_CPU_SECONDS"))
                           : as_u32(settings.integer(timeout_setting) * 2);
  return limits;
}

std::vector<std::string> passed_environment(const config::Settings& settings,
                                            const config::Environment& environment) {
  std::vector<std::string> passed;
  for (const std::string& name : settings.list("SANDBOX_ENV_PASS")) {
    if (environment.has(name)) passed.push_back(name + "=" + environment.get(name));
  }
  return passed;
}

// PYTHON_PATH, else the newest that is installed; "" when there is none, and then Python is not
// offered.
std::string python_path(const config::Settings& settings) {
  if (!settings.text("PYTHON_PATH").empty()) return settings.text("PYTHON_PATH");
  const auto found = managers::find_python();
  return found.ok() ? *found : "";
}

sandbox::ProfileOptions profile_options(const Prepared& prepared,
                                        const config::Environment& environment,
                                        const HostPath& helpers, bool memory_cgroup) {
  const config::Settings& settings = prepared.settings;
  sandbox::ProfileOptions options;
  options.restricted = settings.flag("COMMAND_RESTRICTED");
  options.allowed_commands = settings.list("BASH_ALLOWED_COMMANDS");
  options.bash_limits = limits_of(settings, "BASH_MEMORY_LIMIT", "BASH_TIMEOUT_MAX");
  options.python_limits = limits_of(settings, "PYTHON_MEMORY_LIMIT", "PYTHON_TIMEOUT_MAX");
  options.tmp_size = Bytes::mebi(static_cast<std::uint64_t>(settings.integer("SANDBOX_TMP_MB")));
  if (::access(prepared.layout.data_dir.value.c_str(), R_OK | X_OK) == 0)
    options.data = {prepared.layout.data_dir};
  options.python = HostPath{python_path(settings)};
  options.probe_program = HostPath{helpers.value + "/cmcp-probe"};
  for (const config::WorkspaceMount& mount : prepared.layout.mounts)
    options.writable_roots.push_back(mount.path);
  options.has_memory_cgroup = memory_cgroup;
  options.environment = passed_environment(settings, environment);
  options.timezone = sandbox::host_timezone();
  return options;
}

Status build_profiles_and_setup(Prepared& prepared, const config::Environment& environment,
                                bool memory_cgroup, const std::optional<ServiceUser>& user) {
  CMCP_TRY(const HostPath helpers, LauncherClient::find_helper_directory());
  CMCP_TRY(prepared.profiles,
           sandbox::build_profiles(profile_options(prepared, environment, helpers, memory_cgroup)));
  prepared.launcher_options.helper_directory = helpers;
  sandbox::wire::Setup& setup = prepared.launcher_options.setup;
  setup.max_runs = as_u32(prepared.settings.integer("SANDBOX_MAX_RUNS"));
  setup.server_uid = user ? user->uid.value : ::geteuid();
  setup.server_gid = user ? user->gid.value : ::getegid();
  setup.backend = prepared.backend.backend;
  setup.bwrap_disable_userns = prepared.backend.bwrap_disable_userns;
  setup.disabled_layers = prepared.switches.disabled_layers;
  setup.without_cgroup = prepared.switches.no_cgroup;
  setup.without_idmap = prepared.switches.no_idmap;
  setup.deny_user_namespaces = prepared.switches.deny_user_namespaces;
  setup.quota_bytes = static_cast<std::uint64_t>(prepared.settings.integer("WORKSPACE_QUOTA_MB"))
                      << 20;
  setup.roots.clear();
  for (const config::WorkspaceMount& mount : prepared.layout.mounts) {
    setup.roots.push_back({mount.path, mount.name, mount.read_only});
  }
  setup.profiles = prepared.profiles.all;
  return {};
}

// Without a memory cgroup the profiles deny memfd and SysV shared memory: nothing else could count
// those.
Status start_launcher(Prepared& prepared, const config::Environment& environment,
                      const std::optional<ServiceUser>& user) {
  // Firejail covers /sys/fs/cgroup for the launcher.
  const bool memory_cgroup = prepared.backend.backend != sandbox::Backend::kFirejail &&
                             !prepared.switches.no_cgroup &&
                             LauncherClient::memory_cgroup_available();
  CMCP_CHECK_OK(build_profiles_and_setup(prepared, environment, memory_cgroup, user));
  CMCP_TRY(const os::Confinement before, os::own_confinement());
  auto spawned = LauncherClient::spawn(prepared.launcher_options);
  if (spawned.ok()) CMCP_CHECK_OK(verify_backend(prepared.backend, before, spawned->facts));
  if (spawned.ok()) {
    prepared.launcher = std::move(spawned).value();
  } else if (prepared.backend.backend == sandbox::Backend::kFirejail) {
    return spawned.error().with_context("SANDBOX_BACKEND=firejail+native");
  } else {
    prepared.launcher_failure = spawned.take_error();
  }
  return {};
}

Status open_workspace_roots(Prepared& prepared) {
  for (std::size_t i = 0; i < prepared.layout.mounts.size(); ++i) {
    const config::WorkspaceMount& mount = prepared.layout.mounts[i];
    Fd directory;
    if (prepared.launcher) {
      directory = std::move(prepared.launcher->roots.at(i));
    } else {
      directory = Fd(::open(mount.path.value.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
      if (!directory)
        return Error(ErrorCode::kNotFound,
                     "the workspace " + mount.path.value + " cannot be opened");
    }
    prepared.workspace_roots.push_back({mount.name, std::move(directory), mount.read_only});
  }
  return {};
}

}  // namespace

Result<Prepared> prepare(config::Loaded loaded, const config::Environment& environment) {
  Prepared prepared;
  prepared.settings = std::move(loaded.settings);
  prepared.layout = std::move(loaded.layout);
  prepared.warnings = std::move(loaded.warnings);
  CMCP_TRY(prepared.switches, test_switches(environment));
  CMCP_CHECK_OK(check_python(prepared.settings));
  CMCP_TRY(prepared.backend, choose_backend(prepared.settings, prepared.layout, prepared.switches));
  std::optional<ServiceUser> user;
  if (::geteuid() == 0) {
    CMCP_TRY(user, find_service_user());
  }
  CMCP_CHECK_OK(make_directories(prepared, user ? &*user : nullptr));
  CMCP_CHECK_OK(start_launcher(prepared, environment, user));
  if (user && prepared.launcher) {
    user = ServiceUser{Uid{prepared.launcher->facts.server_uid},
                       Gid{prepared.launcher->facts.server_gid}};
  }
  CMCP_CHECK_OK(make_private_directories(prepared, user ? &*user : nullptr));
  if (user) CMCP_CHECK_OK(become(*user));
  CMCP_CHECK_OK(check_state_directory(prepared, user.has_value()));
  CMCP_CHECK_OK(open_workspace_roots(prepared));
  std::copy(prepared.profiles.warnings.begin(), prepared.profiles.warnings.end(),
            std::back_inserter(prepared.warnings));
  return prepared;
}

}  // namespace cmcp::app
