// PlanBuilder: collects a RootPlan so that every entry is there once and every directory comes
// after its parent.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "sandbox/helper/profile.h"

namespace cmcp::sandbox {

class PlanBuilder {
 public:
  // `writable_roots`: nothing below them, and nothing that holds them, may be bound.
  explicit PlanBuilder(std::vector<HostPath> writable_roots);

  // A directory of the new root and all its parents. Where a symlink of the plan is in the way it
  // must resolve to a directory of the plan: callers pass paths without symlinks.
  void directory(const std::string& path);
  void file(const std::string& path, std::string content);
  void symlink(const Symlink& link);
  void tmpfs(TmpfsMount mount);
  void mask(const std::string& path);
  // Binds the host's `path`, without symlinks, at the same place. kInvalidArgument when it touches
  // a writable root.
  Status bind(const std::string& path, bool exec);
  // The same at another place, for what lies in nobody's way (data, the probe's program).
  Status bind_at(const std::string& source, const std::string& target, bool exec);
  // `path` with all symlinks on the way: links, then the bind of what they lead to, which is
  // returned. An absent path is kNotFound.
  Result<std::string> bind_with_links(const std::string& path, bool exec);
  // The same for what a system may lack: absent is success.
  Status bind_if_present(const std::string& path, bool exec);

  bool has_bind_above(const std::string& path) const;
  RootPlan take();

 private:
  Status check_not_writable(const std::string& source) const;

  std::vector<HostPath> writable_roots_;
  RootPlan plan_;
  std::set<std::string> directories_;
  std::set<std::string> links_;
  std::set<std::string> binds_;
  std::set<std::string> masks_;
};

}  // namespace cmcp::sandbox
