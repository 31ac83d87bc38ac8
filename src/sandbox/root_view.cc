#include "sandbox/root_view.h"

#include <fmt/format.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/host_paths.h"
#include "sandbox/plan_builder.h"
#include "sandbox/view_parts.h"

namespace cmcp::sandbox {
namespace {

// Directories of the root that are links into /usr on a merged system, else directories of their
// own.
constexpr const char* kSystemDirectories[] = {"/bin",   "/sbin",  "/lib",
                                              "/lib32", "/lib64", "/libx32"};

// /etc as the host has it: what programs look up by name and what tells nothing about this host.
constexpr const char* kSharedConfiguration[] = {
    "/etc/alternatives",     // /usr/bin/awk and others are links through it
    "/etc/ssl/certs",        // python's ssl.create_default_context
    "/etc/ssl/openssl.cnf",  // openssl refuses to start without one
    "/etc/mime.types",       // python mimetypes
    "/etc/magic",            // file(1)
    "/etc/protocols",        // getprotobyname
    "/etc/services",         // getservbyname
};

bool exists(const std::string& path) {
  return access(path.c_str(), F_OK) == 0;
}

std::vector<std::string> expand_pattern(const std::string& pattern) {
  std::vector<std::string> paths;
  glob_t found{};
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    for (std::size_t i = 0; i < found.gl_pathc; ++i) paths.emplace_back(found.gl_pathv[i]);
  }
  globfree(&found);
  return paths;
}

std::vector<std::string> package_directories(const std::string& prefix) {
  std::vector<std::string> paths;
  for (const char* pattern : {"/lib/python3*/dist-packages", "/lib/python3*/site-packages",
                              "/lib64/python3*/site-packages", "/lib/pypy3*/dist-packages",
                              "/lib/pypy3*/site-packages"}) {
    for (auto& path : expand_pattern(prefix + pattern)) paths.push_back(std::move(path));
  }
  return paths;
}

void mask_packages(PlanBuilder& plan, const std::string& prefix) {
  for (const auto& path : package_directories(prefix)) {
    auto resolved = resolve_path(path);
    if (resolved.ok() && plan.has_bind_above(resolved->path)) plan.mask(resolved->path);
  }
}

// Of an installation outside /usr only what an interpreter is made of: its prefix may be somebody's
// home directory.
Status bind_prefix(PlanBuilder& plan, std::vector<LandlockRule>& landlock,
                   const std::string& prefix) {
  if (expand_pattern(prefix + "/lib*/python3*").empty() && !exists(prefix + "/pyvenv.cfg")) {
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("PYTHON_PATH: {} holds no Python installation (neither lib/python3.N "
                             "nor pyvenv.cfg). Name the "
                             "interpreter of a complete installation, such as /usr/bin/python3.11.",
                             prefix));
  }
  for (const char* own : {"/tmp", "/dev", "/proc", "/workspace", "/data"}) {
    if (!is_below(prefix, own)) continue;
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("PYTHON_PATH: an interpreter in {} cannot be shown to sandboxes, "
                             "which have a {} of their own. "
                             "Install it elsewhere, such as in /opt.",
                             prefix, own));
  }
  for (const char* part : {"/bin", "/lib", "/lib64", "/pyvenv.cfg"}) {
    if (!exists(prefix + part)) continue;
    CMCP_TRY(const std::string bound, plan.bind_with_links(prefix + part, true));
    landlock.push_back({{bound}, Access::kReadExecute});
  }
  mask_packages(plan, prefix);
  return {};
}

// The prefixes of a program: by its own directory (a virtual environment) and by what its link
// leads to.
std::vector<std::string> prefixes_of(const std::string& program) {
  std::vector<std::string> prefixes;
  const auto add = [&](const std::string& directory) {
    auto resolved = resolve_path(directory);
    if (!resolved.ok() || is_below(resolved->path, "/usr")) return;
    prefixes.push_back(parent_of(resolved->path));
  };
  add(parent_of(program));
  if (auto resolved = resolve_path(program); resolved.ok()) add(parent_of(resolved->path));
  if (prefixes.size() == 2 && prefixes[0] == prefixes[1]) prefixes.pop_back();
  return prefixes;
}

}  // namespace

std::string prefix_outside_usr(const std::string& program) {
  const auto prefixes = prefixes_of(program);
  return prefixes.empty() ? "" : prefixes.front();
}

Status add_etc(PlanBuilder& plan) {
  plan.file("/etc/passwd",
            "root:x:0:0:root:/root:/usr/sbin/nologin\n"
            "sandbox:x:1000:1000:sandbox:/tmp:/bin/bash\n"
            "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n");
  plan.file("/etc/group", "root:x:0:\nsandbox:x:1000:\nnogroup:x:65534:\n");
  plan.file("/etc/hosts", "127.0.0.1 localhost sandbox\n::1 localhost\n");
  plan.file("/etc/hostname", "sandbox\n");
  plan.file("/etc/nsswitch.conf",
            "passwd: files\ngroup: files\nhosts: files dns\nprotocols: files\nservices: files\n");
  // The loader finds libraries in /usr/local/lib and private directories by its cache alone.
  CMCP_CHECK_OK(plan.bind_if_present("/etc/ld.so.cache", false));
  CMCP_CHECK_OK(plan.bind_if_present("/etc/ld.so.conf", false));
  CMCP_CHECK_OK(plan.bind_if_present("/etc/ld.so.conf.d", false));
  CMCP_CHECK_OK(plan.bind_if_present("/etc/localtime", false));
  return {};
}

void add_system_links(PlanBuilder& plan) {
  for (const std::string path : kSystemDirectories) {
    auto resolved = resolve_path(path);
    if (!resolved.ok() || resolved->symlinks.empty()) continue;
    for (const auto& link : resolved->symlinks) plan.symlink(link);
    if (!plan.has_bind_above(resolved->path)) plan.directory(resolved->path);
  }
}

Status add_data(PlanBuilder& plan, const ViewOptions& options) {
  for (const auto& data : options.data) {
    CMCP_TRY(const ResolvedPath resolved, resolve_path(data.value));
    auto bound = plan.bind_at(resolved.path, "/data", false);
    if (!bound.ok()) return bound.error().with_context("DATA_DIR");
  }
  return {};
}

void add_writable(PlanBuilder& plan, std::vector<LandlockRule>& landlock, Bytes size, bool exec) {
  // One inode per 4 KiB: a flood of empty files ends before it costs more than files with content.
  const std::uint64_t inodes = size.count / 4096;
  plan.directory("/workspace");
  plan.directory("/proc");
  plan.tmpfs({{"/tmp"}, size, inodes, 01777, exec});
  plan.tmpfs({{"/dev/shm"}, size, inodes, 01777, false});
  landlock.push_back({{"/tmp"}, exec ? Access::kReadWriteExecute : Access::kReadWrite});
  landlock.push_back({{"/dev/shm"}, Access::kReadWrite});
  for (const char* device :
       {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}) {
    landlock.push_back({{device}, Access::kReadWrite});
  }
  // Reading all of the view, `ls /` included: it holds nothing else than what we put there. /proc
  // stays unwritable.
  landlock.push_back({{"/"}, Access::kRead});
}

Result<View> system_view(const ViewOptions& options) {
  PlanBuilder plan(options.writable_roots);
  View view;
  CMCP_CHECK_OK(plan.bind("/usr", true));
  view.landlock.push_back({{"/usr"}, Access::kReadExecute});
  add_system_links(plan);
  for (const std::string path : kSystemDirectories) {
    auto resolved = resolve_path(path);
    if (!resolved.ok() || plan.has_bind_above(resolved->path)) continue;
    CMCP_CHECK_OK(plan.bind(resolved->path, true));
    view.landlock.push_back({{resolved->path}, Access::kReadExecute});
  }
  CMCP_CHECK_OK(add_etc(plan));
  for (const char* path : kSharedConfiguration) CMCP_CHECK_OK(plan.bind_if_present(path, false));
  for (const std::string prefix : {"/usr", "/usr/local"}) mask_packages(plan, prefix);
  for (const auto& program : options.programs) {
    for (const auto& prefix : prefixes_of(program.value))
      CMCP_CHECK_OK(bind_prefix(plan, view.landlock, prefix));
  }
  CMCP_CHECK_OK(add_data(plan, options));
  add_writable(plan, view.landlock, options.tmp_size, true);
  view.root = plan.take();
  return view;
}

}  // namespace cmcp::sandbox
