#include "config/workspace_layout.h"

#include <filesystem>
#include <string_view>

#include "base/strings.h"

namespace cmcp::config {
namespace {

namespace fs = std::filesystem;

// Without doubled and trailing slashes: `//` is the root directory too, and the library keeps it.
std::string without_extra_slashes(const std::string& path) {
  std::string out;
  for (const char c : path) {
    if (c != '/' || out.empty() || out.back() != '/') out.push_back(c);
  }
  if (out.size() > 1 && out.back() == '/') out.pop_back();
  return out;
}

// True when `inner` is `outer` or lies below it. Both are absolute and normal.
bool holds(const std::string& outer, const std::string& inner) {
  if (outer == "/" || outer == inner) return true;
  return inner.size() > outer.size() && inner.starts_with(outer) && inner[outer.size()] == '/';
}

bool is_mount_name(std::string_view name) {
  if (name.empty() || name.size() > 64 || name.front() == '.') return false;
  for (const char c : name) {
    const bool good = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                      c == '_' || c == '-' || c == '.';
    if (!good) return false;
  }
  return true;
}

Error refuse(const std::string& path, const std::string& reason) {
  return {ErrorCode::kInvalidArgument, "The workspace " + printable(path) +
                                           " (WORKSPACE_DIR, --workspace) is refused: " + reason +
                                           ". Choose a directory for this work alone."};
}

// What a workspace must neither hold nor lie in, with the words for it.
struct Private {
  std::string path;
  std::string what;
};

std::vector<Private> private_paths(const Settings& settings, const LayoutInput& input) {
  std::vector<Private> all;
  const auto add = [&](const std::string& path, const std::string& what) {
    if (!path.empty()) all.push_back({without_extra_slashes(input.resolve(path)), what});
  };
  add(settings.text("STATE_DIR"), "our state (STATE_DIR)");
  add(settings.text("TEMP_DIR"), "our temporary files (TEMP_DIR)");
  add(settings.text("LOG_DIR"), "our log (LOG_DIR)");
  add(settings.text("MCP_SESSION_KEY_FILE"), "our session key (MCP_SESSION_KEY_FILE)");
  for (const std::string& path : input.configuration) add(path, "our configuration");
  for (const std::string& path : input.sockets) add(path, "a socket of ours");
  return all;
}

Status check_mount(const std::string& path, const std::string& home,
                   const std::vector<Private>& all) {
  if (path == "/") return refuse(path, "it is the root directory");
  if (!home.empty() && path == home) return refuse(path, "it is the home directory itself");
  if (!home.empty() && holds(path, home))
    return refuse(path, "it holds the home directory " + printable(home));
  for (const Private& ours : all) {
    if (holds(path, ours.path))
      return refuse(path, "it holds " + ours.what + ", " + printable(ours.path));
    if (holds(ours.path, path))
      return refuse(path, "it lies in " + ours.what + ", " + printable(ours.path));
  }
  return {};
}

Status check_data(const std::string& path, const std::vector<Private>& all) {
  for (const Private& ours : all) {
    if (holds(path, ours.path)) {
      return Error(ErrorCode::kInvalidArgument, "DATA_DIR=" + printable(path) +
                                                    " is refused: sandboxes would see " +
                                                    ours.what + ", " + printable(ours.path) + ".");
    }
  }
  return {};
}

Status check_overlap(const std::vector<WorkspaceMount>& mounts) {
  for (std::size_t i = 0; i < mounts.size(); ++i) {
    for (std::size_t j = 0; j < mounts.size(); ++j) {
      if (i == j) continue;
      if (mounts[i].name == mounts[j].name) {
        return Error(
            ErrorCode::kInvalidArgument,
            mounts[i].name.empty()
                ? "Two workspaces have no name; give all but one as NAME=DIR."
                : "Two workspaces have the name " + mounts[i].name + "; give each its own.");
      }
      if (holds(mounts[i].path.value, mounts[j].path.value)) {
        return Error(ErrorCode::kInvalidArgument,
                     "The workspaces " + printable(mounts[i].path.value) + " and " +
                         printable(mounts[j].path.value) + " overlap; one of them is enough.");
      }
    }
  }
  return {};
}

WorkspaceMount own_workspace(const Settings& settings, const LayoutInput& input,
                             std::vector<std::string>& notes) {
  const std::string& root = settings.text("SANDBOX_ROOT");
  WorkspaceMount mount;
  if (input.root.has_own_files && !input.root.has_files_directory) {
    notes.push_back("SANDBOX_ROOT " + printable(root) +
                    " already holds files and no `files` directory: it is itself the workspace. "
                    "Nothing was moved.");
    mount.path.value = root;
  } else {
    mount.path.value = (root == "/" ? "" : root) + "/files";
  }
  return mount;
}

}  // namespace

std::string resolve_links(const std::string& path) {
  std::error_code error;
  const fs::path resolved = fs::weakly_canonical(path, error);
  return without_extra_slashes((error ? fs::path(path).lexically_normal() : resolved).string());
}

RootContents look_into(const HostPath& sandbox_root) {
  RootContents contents;
  std::error_code error;
  for (fs::directory_iterator it(sandbox_root.value, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    std::error_code ignored;
    if (name == "files" && it->is_directory(ignored)) {
      contents.has_files_directory = true;
    } else if (name != "bash" && name != "python" && name != "browser" && name != "principals" &&
               name != "lost+found" && name != ".gitkeep") {
      contents.has_own_files = true;
    }
  }
  return contents;
}

Result<WorkspaceMount> parse_workspace(const std::string& text,
                                       const std::string& working_directory) {
  constexpr std::string_view kReadOnly = ":ro";
  WorkspaceMount mount;
  mount.users_own = true;
  std::string path = text;
  // A '=' after the first '/' belongs to the directory's name.
  const std::size_t equals = path.find('=');
  if (equals != std::string::npos && equals < path.find('/')) {
    mount.name = path.substr(0, equals);
    path.erase(0, equals + 1);
    if (!is_mount_name(mount.name)) {
      return Error(ErrorCode::kInvalidArgument,
                   "The workspace " + printable(text) +
                       " has a name that cannot be used: letters, digits, '_', '-' and '.' (not "
                       "first), at most 64.");
    }
  }
  if (path.size() > kReadOnly.size() && path.ends_with(kReadOnly)) {
    path.resize(path.size() - kReadOnly.size());
    mount.read_only = true;
  }
  if (path.empty() || path.find('\0') != std::string::npos) {
    return Error(
        ErrorCode::kInvalidArgument,
        "The workspace " + printable(text) + " names no directory; allowed is [NAME=]DIR[:ro].");
  }
  if (path.front() != '/') {
    if (working_directory.empty()) {
      return Error(ErrorCode::kInvalidArgument,
                   "The workspace " + printable(text) + " is not an absolute path.");
    }
    path = working_directory + "/" + path;
  }
  mount.path.value = std::move(path);
  return mount;
}

Result<WorkspaceLayout> workspace_layout(const Settings& settings, const HostFacts& host,
                                         const LayoutInput& input) {
  WorkspaceLayout layout;
  layout.sandbox_root = HostPath{settings.text("SANDBOX_ROOT")};
  layout.data_dir = HostPath{settings.text("DATA_DIR")};
  layout.state_dir = HostPath{settings.text("STATE_DIR")};
  layout.temp_dir = HostPath{settings.text("TEMP_DIR")};

  if (!input.workspaces.empty()) {
    for (const std::string& text : input.workspaces) {
      CMCP_TRY(WorkspaceMount mount, parse_workspace(text, host.working_directory));
      layout.mounts.push_back(std::move(mount));
    }
  } else if (const std::string& text = settings.text("WORKSPACE_DIR"); !text.empty()) {
    // A setting is not typed where the server is started: no relative path.
    auto mount = parse_workspace(text, "");
    if (!mount.ok()) return mount.take_error().with_context("WORKSPACE_DIR");
    layout.mounts.push_back(std::move(mount).value());
  }

  bool has_root_mount = false;
  for (const WorkspaceMount& mount : layout.mounts)
    has_root_mount = has_root_mount || mount.name.empty();
  if (!has_root_mount) {
    layout.mounts.insert(layout.mounts.begin(), own_workspace(settings, input, layout.notes));
  }
  const std::vector<Private> all = private_paths(settings, input);
  const std::string home = host.home.empty() ? "" : input.resolve(host.home);
  for (WorkspaceMount& mount : layout.mounts) {
    mount.path.value = without_extra_slashes(input.resolve(mount.path.value));
    mount.read_only = mount.read_only || settings.flag("WORKSPACE_READONLY");
    CMCP_CHECK_OK(check_mount(mount.path.value, home, all));
  }
  CMCP_CHECK_OK(check_data(input.resolve(layout.data_dir.value), all));
  CMCP_CHECK_OK(check_overlap(layout.mounts));
  for (std::size_t i = 1; i < layout.mounts.size(); ++i) {
    if (layout.mounts[i].name.empty()) std::swap(layout.mounts[0], layout.mounts[i]);
  }
  return layout;
}

}  // namespace cmcp::config
