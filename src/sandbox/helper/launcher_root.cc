#include "sandbox/helper/launcher_root.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "os/error.h"
#include "os/file.h"
#include "os/mount.h"
#include "sandbox/helper/bwrap_child.h"

namespace cmcp::sandbox {
namespace {

constexpr unsigned long kRecursivePrivate = (1UL << 14) | (1UL << 18);  // MS_REC | MS_PRIVATE
constexpr const char* kOldRoot = "/old";
constexpr const char* kEmpty = "/e";

struct Device {
  const char* name;
  unsigned minor;
};
// What programs take for granted. Major 1 is memory devices; the number is checked before a node is
// shown.
constexpr std::array<Device, 5> kDevices{
    {{"null", 3}, {"zero", 5}, {"full", 7}, {"random", 8}, {"urandom", 9}}};

Status make_directory(int root, const std::string& path, mode_t mode = 0755) {
  if (::mkdirat(root, path.c_str(), mode) != 0 && errno != EEXIST)
    return os::last_error("mkdir", path);
  return {};
}

// A tree under construction; paths in it are absolute and resolved inside it, links too.
class TemplateRoot {
 public:
  TemplateRoot(Fd root, int host) : root_(std::move(root)), host_(host) {}

  Status make_directories(const std::string& path) {
    for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1)) {
      CMCP_CHECK_OK(make_one(path.substr(0, at)));
    }
    return path.size() > 1 ? make_one(path) : Status();
  }
  Status make_file(const StaticFile& file) {
    CMCP_CHECK_OK(make_parents(file.path.value));
    CMCP_TRY(const Fd fd, os::openat2(root_.get(), file.path.value, O_WRONLY | O_CREAT | O_EXCL,
                                      RESOLVE_IN_ROOT, file.mode & 07777));
    if (::fchmod(fd.get(), file.mode & 07777) != 0)
      return os::last_error("fchmod", file.path.value);
    return os::write_all(fd.get(), file.content);
  }
  Status make_symlink(const Symlink& link) {
    CMCP_CHECK_OK(make_parents(link.path.value));
    CMCP_TRY(const Fd parent, open_parent(link.path.value));
    if (::symlinkat(link.target.c_str(), parent.get(), leaf(link.path.value).c_str()) != 0) {
      return os::last_error("symlink", link.path.value);
    }
    return {};
  }
  Status bind(const BindMount& bind) {
    auto source = os::openat2(host_, bind.source.value, O_PATH, RESOLVE_IN_ROOT);
    if (!source.ok()) {
      if (bind.optional && source.error().code() == ErrorCode::kNotFound) return {};
      return source.take_error();
    }
    CMCP_TRY(const struct stat info, os::stat_of(source->get()));
    CMCP_TRY(const Fd tree, os::clone_tree(source->get(), "", os::Recursive::kYes));
    std::uint64_t attributes = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
    if (!bind.exec) attributes |= MOUNT_ATTR_NOEXEC;
    CMCP_CHECK_OK(os::set_mount_attributes(tree.get(), {.set = attributes}, os::Recursive::kYes));
    return attach(tree.get(), bind.target.value, S_ISDIR(info.st_mode));
  }
  Status bind_device(const Device& device) {
    const std::string path = std::string("/dev/") + device.name;
    CMCP_TRY(const Fd source, os::openat2(host_, path, O_PATH, RESOLVE_IN_ROOT));
    CMCP_TRY(const struct stat info, os::stat_of(source.get()));
    if (!S_ISCHR(info.st_mode) || info.st_rdev != makedev(1, device.minor)) {
      return Error(ErrorCode::kUnavailable, path + " is not the device that its name says");
    }
    CMCP_TRY(const Fd tree, os::clone_tree(source.get(), "", os::Recursive::kYes));
    CMCP_CHECK_OK(os::set_mount_attributes(
        tree.get(), {.set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC}, os::Recursive::kYes));
    return attach(tree.get(), path, false);
  }
  // Covers what is at `path`, if anything is, by an empty directory or file that nobody can change.
  Status mask(const std::string& path) {
    const auto target = os::openat2(root_.get(), path, O_PATH, RESOLVE_IN_ROOT);
    if (!target.ok())
      return target.error().code() == ErrorCode::kNotFound ? Status() : Status(target.error());
    CMCP_TRY(const struct stat info, os::stat_of(target->get()));
    CMCP_TRY(const Fd tree,
             os::clone_tree(AT_FDCWD, std::string(kEmpty) + (S_ISDIR(info.st_mode) ? "/d" : "/f"),
                            os::Recursive::kYes));
    return os::attach_tree(tree.get(), target->get(), "");
  }

 private:
  static std::string leaf(const std::string& path) { return path.substr(path.rfind('/') + 1); }
  static std::string parent_of(const std::string& path) {
    const auto slash = path.rfind('/');
    return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
  }
  Result<Fd> open_parent(const std::string& path) {
    return os::openat2(root_.get(), parent_of(path), O_PATH | O_DIRECTORY, RESOLVE_IN_ROOT);
  }
  Status make_parents(const std::string& path) { return make_directories(parent_of(path)); }
  Status make_one(const std::string& path) {
    if (path == "/" || os::openat2(root_.get(), path, O_PATH | O_DIRECTORY, RESOLVE_IN_ROOT).ok())
      return {};
    CMCP_TRY(const Fd parent, open_parent(path));
    return make_directory(parent.get(), leaf(path));
  }
  Status attach(int tree, const std::string& path, bool directory) {
    CMCP_CHECK_OK(make_parents(path));
    if (directory) {
      CMCP_CHECK_OK(make_one(path));
    } else if (!os::openat2(root_.get(), path, O_PATH, RESOLVE_IN_ROOT).ok()) {
      CMCP_TRY(const Fd created,
               os::openat2(root_.get(), path, O_WRONLY | O_CREAT | O_EXCL, RESOLVE_IN_ROOT, 0444));
    }
    CMCP_TRY(const Fd target, os::openat2(root_.get(), path, O_PATH, RESOLVE_IN_ROOT));
    return os::attach_tree(tree, target.get(), "");
  }

  Fd root_;
  int host_;
};

Status make_devices(TemplateRoot& root) {
  CMCP_CHECK_OK(root.make_directories("/dev"));
  for (const auto& device : kDevices) CMCP_CHECK_OK(root.bind_device(device));
  for (const auto& [name, target] :
       {std::pair{"/dev/fd", "/proc/self/fd"}, std::pair{"/dev/stdin", "/proc/self/fd/0"},
        std::pair{"/dev/stdout", "/proc/self/fd/1"}, std::pair{"/dev/stderr", "/proc/self/fd/2"}}) {
    CMCP_CHECK_OK(root.make_symlink({{name}, target}));
  }
  return root.make_directories("/dev/shm");
}

Status fill_template(TemplateRoot& root, const Profile& profile,
                     const std::vector<WorkspaceRoot>& workspaces) {
  for (const auto& path : profile.root.directories)
    CMCP_CHECK_OK(root.make_directories(path.value));
  for (const auto& file : profile.root.files) CMCP_CHECK_OK(root.make_file(file));
  for (const auto& link : profile.root.symlinks) CMCP_CHECK_OK(root.make_symlink(link));
  for (const auto& bind : profile.root.binds) CMCP_CHECK_OK(root.bind(bind));
  for (const auto& path : profile.root.masks) CMCP_CHECK_OK(root.mask(path.value));
  CMCP_CHECK_OK(make_devices(root));
  for (const auto& tmpfs : profile.root.tmpfs)
    CMCP_CHECK_OK(root.make_directories(tmpfs.target.value));
  CMCP_CHECK_OK(root.make_directories("/proc"));
  for (const auto& workspace : workspaces)
    CMCP_CHECK_OK(root.make_directories(workspace_target(workspace)));
  return {};
}

Result<Fd> attach_tmpfs(const std::string& at, const char* size, const char* inodes) {
  CMCP_TRY(const Fd tree,
           os::new_filesystem("tmpfs", {{"size", size}, {"nr_inodes", inodes}, {"mode", "0755"}},
                              MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV));
  CMCP_CHECK_OK(os::attach_tree(tree.get(), AT_FDCWD, at));
  return os::open_at(AT_FDCWD, at, O_PATH | O_DIRECTORY);
}

Status build_template(std::size_t index, int host, const LauncherRootOptions& options) {
  const Profile& profile = options.profiles[index];
  CMCP_CHECK_OK(make_directory(AT_FDCWD, template_path(index)));
  CMCP_TRY(Fd root, attach_tmpfs(template_path(index), "16m", "16384"));
  TemplateRoot tree(std::move(root), host);
  CMCP_CHECK_OK(fill_template(tree, profile, options.workspaces));
  if (!options.read_only) return {};
  CMCP_TRY(const Fd top, os::open_at(AT_FDCWD, template_path(index), O_PATH | O_DIRECTORY));
  return os::set_mount_attributes(top.get(), {.set = MOUNT_ATTR_RDONLY}, os::Recursive::kNo);
}

// The covers for masks, in one read-only tmpfs.
Status build_covers() {
  CMCP_CHECK_OK(make_directory(AT_FDCWD, kEmpty));
  CMCP_TRY(const Fd root, attach_tmpfs(kEmpty, "64k", "16"));
  CMCP_CHECK_OK(make_directory(root.get(), "d", 0555));
  {
    // Closed before the mount becomes read-only, which an open writer would prevent.
    CMCP_TRY(const Fd file, os::open_at(root.get(), "f", O_WRONLY | O_CREAT, 0444));
  }
  return os::set_mount_attributes(root.get(), {.set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOEXEC},
                                  os::Recursive::kNo);
}

Result<Fd> bring_workspace(std::size_t index, int host, const WorkspaceRoot& workspace) {
  const std::string at = "/w/" + std::to_string(index);
  CMCP_CHECK_OK(make_directory(AT_FDCWD, at));
  CMCP_TRY(const Fd source,
           os::openat2(host, workspace.path.value, O_PATH | O_DIRECTORY, RESOLVE_IN_ROOT));
  CMCP_TRY(const Fd tree, os::clone_tree(source.get(), "", os::Recursive::kYes));
  CMCP_CHECK_OK(os::attach_tree(tree.get(), AT_FDCWD, at));
  return os::open_at(AT_FDCWD, at, O_PATH | O_DIRECTORY);
}

// A directory that every system has, to mount the new root on; what it hides is visible again after
// the pivot.
Result<std::string> mount_point() {
  for (const char* path : {"/tmp", "/mnt", "/proc"}) {
    if (os::open_at(AT_FDCWD, path, O_PATH | O_DIRECTORY).ok()) return std::string(path);
  }
  return Error(ErrorCode::kNotFound,
               "no directory to mount on: /tmp, /mnt and /proc are all absent");
}

Status pivot_to_minimal_root() {
  CMCP_TRY(const std::string at, mount_point());
  CMCP_TRY(const Fd root, attach_tmpfs(at, "1m", "1024"));
  for (const char* name : {"old", "n", "t", "w", "proc"})
    CMCP_CHECK_OK(make_directory(root.get(), name));
  return os::pivot_keeping_old(at, at + kOldRoot);
}

// A procfs of our own pid namespace. Where the outer /proc is partly covered (containers) the
// kernel refuses one.
void mount_own_proc(const std::string& outer, LauncherRoot& root) {
  constexpr unsigned long kHardened = 2 | 4 | 8;  // MS_NOSUID | MS_NODEV | MS_NOEXEC
  const Status mounted = os::mount_old("proc", "/proc", "proc", kHardened);
  if (mounted.ok()) return;
  root.fresh_proc = false;
  root.proc_reason =
      mounted.error().message() +
      ": the container covers parts of /proc; start it with --security-opt unmask=ALL (Podman) or "
      "systempaths=unconfined (Docker)";
  if (outer == "/proc") return;
  const auto copy = os::clone_tree(AT_FDCWD, outer, os::Recursive::kYes);
  if (copy.ok()) (void)os::attach_tree(copy->get(), AT_FDCWD, "/proc");
}

// Where the outer /proc is partly covered, the kernel lets us mount one while it sees a whole one.
Status mount_own_proc_showing(int whole, LauncherRoot& root) {
  const std::string outer = std::string(kOldRoot) + "/proc";
  if (whole < 0) {
    mount_own_proc(outer, root);
    return {};
  }
  constexpr const char* kShown = "/n";
  CMCP_CHECK_OK(os::attach_tree(whole, AT_FDCWD, kShown));
  mount_own_proc(outer, root);
  constexpr int kDetach = 2;  // MNT_DETACH
  return os::unmount(kShown, kDetach);
}

Status open_workspaces(int host, const LauncherRootOptions& options, LauncherRoot& root) {
  for (std::size_t i = 0; i < options.workspaces.size(); ++i) {
    auto fd = bring_workspace(i, host, options.workspaces[i]);
    if (!fd.ok()) return fd.error().with_context("workspace " + options.workspaces[i].path.value);
    root.workspaces.push_back(std::move(*fd));
  }
  return {};
}

// Without the mount namespace layer: the host's view stays, only /proc becomes our own.
Result<LauncherRoot> stay_in_host_view(const LauncherRootOptions& options) {
  LauncherRoot root;
  mount_own_proc("/proc", root);
  CMCP_TRY(root.proc, os::open_at(AT_FDCWD, "/proc", O_PATH | O_DIRECTORY));
  for (const auto& workspace : options.workspaces) {
    CMCP_TRY(Fd fd, os::open_at(AT_FDCWD, workspace.path.value, O_PATH | O_DIRECTORY));
    root.workspaces.push_back(std::move(fd));
  }
  return root;
}

}  // namespace

std::string template_path(std::size_t profile) {
  return "/t/" + std::to_string(profile);
}

std::string workspace_target(const WorkspaceRoot& root) {
  return root.name.empty() ? "/workspace" : "/workspace/" + root.name;
}

Result<LauncherRoot> enter_launcher_root(const LauncherRootOptions& options) {
  // Nothing that is mounted outside may arrive here later, and nothing of ours may go out.
  CMCP_CHECK_OK(os::mount_old(nullptr, "/", nullptr, kRecursivePrivate));
  if (options.keep_host_view) return stay_in_host_view(options);
  LauncherRoot root;
  CMCP_CHECK_OK(pivot_to_minimal_root());
  CMCP_CHECK_OK(mount_own_proc_showing(options.whole_proc, root));
  CMCP_TRY(root.proc, os::open_at(AT_FDCWD, "/proc", O_PATH | O_DIRECTORY));
  CMCP_TRY(Fd host, os::open_at(AT_FDCWD, kOldRoot, O_PATH | O_DIRECTORY));
  CMCP_CHECK_OK(build_covers());
  for (std::size_t i = 0; i < options.profiles.size(); ++i) {
    const Status built = build_template(i, host.get(), options);
    if (!built.ok())
      return built.error().with_context("root of profile " + options.profiles[i].name);
  }
  CMCP_CHECK_OK(open_workspaces(host.get(), options, root));
  if (options.with_bwrap) CMCP_CHECK_OK(bring_bwrap(host.get()));
  host.reset();
  constexpr int kDetach = 2;  // MNT_DETACH
  CMCP_CHECK_OK(os::unmount(kOldRoot, kDetach));
  return root;
}

}  // namespace cmcp::sandbox
