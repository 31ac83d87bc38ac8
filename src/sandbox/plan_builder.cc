#include "sandbox/plan_builder.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include "sandbox/host_paths.h"

namespace cmcp::sandbox {
namespace {

bool is_directory(const std::string& path) {
  struct stat info{};
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

}  // namespace

PlanBuilder::PlanBuilder(std::vector<HostPath> writable_roots)
    : writable_roots_(std::move(writable_roots)) {
  // A view may hold links of the workspace's own path: compare with what it really is.
  for (auto& root : writable_roots_) {
    if (auto resolved = resolve_path(root.value); resolved.ok()) root.value = resolved->path;
  }
}

void PlanBuilder::directory(const std::string& path) {
  if (path == "/" || directories_.contains(path)) return;
  directory(parent_of(path));
  directories_.insert(path);
  plan_.directories.push_back({path});
}

void PlanBuilder::file(const std::string& path, std::string content) {
  directory(parent_of(path));
  plan_.files.push_back({{path}, std::move(content)});
}

void PlanBuilder::symlink(const Symlink& link) {
  if (has_bind_above(link.path.value) || !links_.insert(link.path.value).second) return;
  directory(parent_of(link.path.value));
  plan_.symlinks.push_back(link);
}

void PlanBuilder::tmpfs(TmpfsMount mount) {
  directory(mount.target.value);
  plan_.tmpfs.push_back(std::move(mount));
}

void PlanBuilder::mask(const std::string& path) {
  if (masks_.insert(path).second) plan_.masks.push_back({path});
}

Status PlanBuilder::check_not_writable(const std::string& source) const {
  for (const auto& root : writable_roots_) {
    if (!is_below(source, root.value) && !is_below(root.value, source)) continue;
    // /usr may hold a workspace (/usr/local/…) no more than any other directory: it would be shown
    // twice.
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("{} cannot be shown to sandboxes as read-only: it overlaps with {}, "
                             "which they can write. "
                             "Move one of the two.",
                             source, root.value));
  }
  return {};
}

Status PlanBuilder::bind(const std::string& path, bool exec) {
  return bind_at(path, path, exec);
}

Status PlanBuilder::bind_at(const std::string& source, const std::string& target, bool exec) {
  CMCP_CHECK_OK(check_not_writable(source));
  if (has_bind_above(target)) return {};
  if (is_directory(source)) {
    directory(target);
  } else {
    directory(parent_of(target));
  }
  binds_.insert(target);
  plan_.binds.push_back({{source}, {target}, exec, false});
  return {};
}

Result<std::string> PlanBuilder::bind_with_links(const std::string& path, bool exec) {
  CMCP_TRY(const ResolvedPath resolved, resolve_path(path));
  for (const auto& link : resolved.symlinks) symlink(link);
  CMCP_CHECK_OK(bind(resolved.path, exec));
  return resolved.path;
}

Status PlanBuilder::bind_if_present(const std::string& path, bool exec) {
  auto bound = bind_with_links(path, exec);
  if (bound.ok() || bound.error().code() == ErrorCode::kNotFound) return {};
  return bound.take_error();
}

bool PlanBuilder::has_bind_above(const std::string& path) const {
  for (std::string at = path; at != "/"; at = parent_of(at)) {
    if (binds_.contains(at)) return true;
  }
  return false;
}

RootPlan PlanBuilder::take() {
  return std::move(plan_);
}

}  // namespace cmcp::sandbox
