#include "config/loader.h"

#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "base/fd.h"
#include "base/strings.h"
#include "config/env_file.h"
#include "config/settings_builder.h"

namespace cmcp::config {
namespace {

constexpr std::size_t kMaxFileSize = 1024 * 1024;

// Names that look like ours and belong to others: bash, Python and its images, MCP clients.
constexpr std::string_view kForeignNames[] = {
    "CMCP_CONFIG",      "BASH_ENV",       "BASH_XTRACEFD", "BASH_COMPAT",     "BASH_LOADABLES_PATH",
    "BASH_VERSION",     "PYTHON_VERSION", "PYTHON_SHA256", "PYTHON_COLORS",   "PYTHON_HISTORY",
    "PYTHON_CPU_COUNT", "PYTHON_GIL",     "MCP_TIMEOUT",   "MCP_TOOL_TIMEOUT"};
constexpr std::string_view kForeignPrefixes[] = {"BASH_FUNC_", "PYTHON_PIP_", "PYTHON_GET_PIP_",
                                                 "PYTHON_SETUPTOOLS_",
#ifdef CMCP_TEST_SWITCHES
                                                 "CMCP_TEST_"
#endif
};
constexpr std::string_view kOurPrefixes[] = {"MCP_",    "CMCP_",    "BASH_",    "PYTHON_",
                                             "FILE_",   "WEB_",     "SANDBOX_", "WORKSPACE_",
                                             "OUTPUT_", "COMMAND_", "TOOLS_"};

template <typename List>
bool has_prefix(std::string_view name, const List& prefixes) {
  return std::any_of(std::begin(prefixes), std::end(prefixes), [&](std::string_view prefix) {
    return !prefix.empty() && name.starts_with(prefix);
  });
}

bool is_foreign(std::string_view name) {
  return std::find(std::begin(kForeignNames), std::end(kForeignNames), name) !=
             std::end(kForeignNames) ||
         has_prefix(name, kForeignPrefixes);
}

std::string unknown_name(std::string_view name, const std::string& where) {
  std::string message = "There is no setting " + printable(name);
  const std::string near = nearest(name, names());
  if (!near.empty()) message += "; the nearest is " + near;
  return message + ". It was set by: " + where + ".";
}

// Group-writable is harmless when the group is the owner's private one: the group has the user's
// name.
bool is_private_group(uid_t owner, gid_t group) {
  std::vector<char> user_buffer(16384);
  std::vector<char> group_buffer(65536);
  passwd user{};
  passwd* found_user = nullptr;
  if (::getpwuid_r(owner, &user, user_buffer.data(), user_buffer.size(), &found_user) != 0 ||
      found_user == nullptr) {
    return false;
  }
  ::group entry{};
  ::group* found_group = nullptr;
  if (::getgrgid_r(group, &entry, group_buffer.data(), group_buffer.size(), &found_group) != 0 ||
      found_group == nullptr) {
    return false;
  }
  return std::strcmp(found_user->pw_name, found_group->gr_name) == 0;
}

Error refused(const std::string& path, const std::string& reason, const std::string& fix) {
  return {ErrorCode::kPermissionDenied, "The configuration file " + printable(path, 4096) +
                                            " is refused: " + reason + ". " + fix +
                                            " or start without it."};
}

Status check_owner_and_mode(const std::string& path, const struct stat& status, Uid starting_user) {
  if (!S_ISREG(status.st_mode)) return refused(path, "it is not a regular file", "Name a file");
  if (status.st_uid != 0 && status.st_uid != starting_user.value) {
    return refused(path,
                   "it is owned by uid " + std::to_string(status.st_uid) +
                       ", neither root nor the starting user (uid " +
                       std::to_string(starting_user.value) + ")",
                   "Change its owner");
  }
  if ((status.st_mode & S_IWOTH) != 0)
    return refused(path, "everyone may write it", "`chmod o-w` it");
  if ((status.st_mode & S_IWGRP) != 0 && !is_private_group(status.st_uid, status.st_gid)) {
    return refused(path, "its group may write it", "`chmod g-w` it");
  }
  return {};
}

struct ConfigFile {
  std::string path;  // with links followed
  std::string shown;
  std::string text;
  bool world_readable = false;
};

// All checks are made on the opened descriptor: what was checked is what is read.
Result<ConfigFile> read_config_file(const std::string& path, Uid starting_user) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!fd) {
    const int error = errno;
    const ErrorCode code = error == ENOENT   ? ErrorCode::kNotFound
                           : error == EACCES ? ErrorCode::kPermissionDenied
                                             : ErrorCode::kIo;
    return Error(code,
                 "The configuration file " + printable(path, 4096) +
                     " cannot be opened: " + std::strerror(error) + ".",
                 error);
  }
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0)
    return Error(ErrorCode::kIo, "fstat of " + printable(path, 4096) + " failed.", errno);
  CMCP_CHECK_OK(check_owner_and_mode(path, status, starting_user));
  ConfigFile file;
  file.shown = path;
  file.world_readable = (status.st_mode & S_IROTH) != 0;
  std::array<char, 4096> target{};
  const std::string link = "/proc/self/fd/" + std::to_string(fd.get());
  const ssize_t length = ::readlink(link.c_str(), target.data(), target.size());
  file.path = length > 0 ? std::string(target.data(), static_cast<std::size_t>(length))
                         : resolve_links(path);
  std::array<char, 65536> buffer{};
  for (;;) {
    const ssize_t got = ::read(fd.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      return Error(ErrorCode::kIo,
                   "Reading " + printable(path, 4096) + " failed: " + std::strerror(errno) + ".",
                   errno);
    if (got == 0) break;
    file.text.append(buffer.data(), static_cast<std::size_t>(got));
    if (file.text.size() > kMaxFileSize)
      return refused(path, "it is larger than 1 MB", "Make it smaller");
  }
  return file;
}

// The *.env files of `directory` by name; none when it is absent or may not be read.
std::vector<std::string> env_files_of(const std::string& directory) {
  std::vector<std::string> paths;
  const std::unique_ptr<DIR, int (*)(DIR*)> handle(::opendir(directory.c_str()), ::closedir);
  if (!handle) return paths;
  while (const dirent* entry = ::readdir(handle.get())) {
    const std::string_view name(entry->d_name);
    if (name.ends_with(".env") && name.front() != '.')
      paths.push_back(directory + "/" + std::string(name));
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string user_directory(const Environment& environment, const HostFacts& host) {
  const std::string config_home = environment.get("XDG_CONFIG_HOME");
  if (!config_home.empty() && config_home.front() == '/') return config_home + "/container-mcp";
  if (host.home.empty() || host.home.front() != '/') return "";
  return (host.home == "/" ? "" : host.home) + "/.config/container-mcp";
}

class Loader {
 public:
  Loader(const CommandLineSettings& command_line, const Environment& environment,
         const HostFacts& host)
      : command_line_(command_line), environment_(environment), host_(host) {}

  Result<Loaded> run() {
    CMCP_CHECK_OK(apply_files());
    CMCP_CHECK_OK(apply_environment());
    for (const auto& [name, value] : command_line_.values) {
      CMCP_CHECK_OK(builder_.set(name, value, "command line"));
    }
    loaded_.settings = builder_.build(host_, environment_);
    CMCP_CHECK_OK(check_together(loaded_.settings));
    CMCP_CHECK_OK(lay_out());
    std::reverse(loaded_.files.begin(), loaded_.files.end());
    return std::move(loaded_);
  }

 private:
  // From the weakest to the strongest: a later assignment replaces an earlier one.
  Status apply_files() {
    for (const std::string& path : env_files_of(host_.machine_directory))
      CMCP_CHECK_OK(apply_found_file(path));
    const std::string users = user_directory(environment_, host_);
    if (!users.empty()) {
      for (const std::string& path : env_files_of(users)) CMCP_CHECK_OK(apply_found_file(path));
    }
    const std::string named = environment_.get("CMCP_CONFIG");
    for (const std::string& path : split(named, ':')) {
      if (path.empty()) continue;
      if (path.front() != '/') {
        return Error(ErrorCode::kInvalidArgument,
                     "CMCP_CONFIG names " + printable(path) + ", which is not an absolute path.");
      }
      CMCP_CHECK_OK(apply_named_file(path));
    }
    for (const std::string& path : command_line_.config_files)
      CMCP_CHECK_OK(apply_named_file(path));
    return {};
  }

  // A file that we looked for. One that is meant for another user (the service's) is no reason to
  // stop.
  Status apply_found_file(const std::string& path) {
    auto file = read_config_file(path, host_.uid);
    if (!file.ok() && (file.error().os_errno() == EACCES || file.error().os_errno() == ENOENT)) {
      loaded_.warnings.push_back(file.error().message() + " It is left out.");
      return {};
    }
    if (!file.ok()) return file.take_error();
    return apply(*file);
  }

  Status apply_named_file(const std::string& path) {
    CMCP_TRY(const ConfigFile file, read_config_file(path, host_.uid));
    return apply(file);
  }

  Status apply(const ConfigFile& file) {
    const std::string origin = "file " + file.shown;
    auto lines = parse_env_file(file.text);
    if (!lines.ok()) return lines.take_error().with_context(printable(file.shown, 4096));
    for (const EnvFileLine& line : *lines) {
      const std::string where = origin + ", line " + std::to_string(line.line);
      const Setting* row = find(line.name);
      if (row == nullptr) {
        CMCP_CHECK_OK(unknown(line.name, where));
        continue;
      }
      CMCP_CHECK_OK(builder_.set(line.name, line.value, origin, where));
      if (row->secret && file.world_readable && !line.value.empty()) {
        loaded_.warnings.push_back(line.name +
                                   " is a secret, and everyone on this machine may read " +
                                   printable(file.shown, 4096) + ": `chmod o-r` it.");
      }
    }
    loaded_.files.push_back(file.shown);
    real_paths_.push_back(file.path);
    return {};
  }

  Status apply_environment() {
    for (const auto& [name, value] : environment_.variables()) {
      if (find(name) != nullptr) {
        CMCP_CHECK_OK(builder_.set(name, value, "environment"));
      } else if (has_prefix(name, kOurPrefixes) && !is_foreign(name)) {
        CMCP_CHECK_OK(unknown(name, "environment"));
      }
    }
    return {};
  }

  Status unknown(std::string_view name, const std::string& where) {
    if (command_line_.strict) return Error(ErrorCode::kInvalidArgument, unknown_name(name, where));
    loaded_.warnings.push_back(unknown_name(name, where));
    return {};
  }

  Status lay_out() {
    LayoutInput input;
    input.workspaces = command_line_.workspaces;
    input.root = look_into(HostPath{loaded_.settings.text("SANDBOX_ROOT")});
    input.configuration = real_paths_;
    input.configuration.push_back(host_.machine_directory);
    const std::string users = user_directory(environment_, host_);
    if (!users.empty()) input.configuration.push_back(users);
    CMCP_TRY(loaded_.layout, workspace_layout(loaded_.settings, host_, input));
    for (const WorkspaceMount& mount : loaded_.layout.mounts) {
      struct stat status{};
      if (!mount.users_own) continue;
      if (::stat(mount.path.value.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) continue;
      return Error(ErrorCode::kInvalidArgument, "The workspace " +
                                                    printable(mount.path.value, 4096) +
                                                    " is not a directory. Make it first.");
    }
    return {};
  }

  const CommandLineSettings& command_line_;
  const Environment& environment_;
  const HostFacts& host_;
  SettingsBuilder builder_;
  std::vector<std::string> real_paths_;
  Loaded loaded_;
};

}  // namespace

Result<Loaded> load(const CommandLineSettings& command_line, const Environment& environment,
                    const HostFacts& host) {
  return Loader(command_line, environment, host).run();
}

}  // namespace cmcp::config
