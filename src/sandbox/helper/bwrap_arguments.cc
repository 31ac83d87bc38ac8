#include "sandbox/helper/bwrap_arguments.h"

namespace cmcp::sandbox {
namespace {

using Arguments = std::vector<std::string>;

void append(Arguments& to, std::initializer_list<std::string> more) {
  to.insert(to.end(), more);
}

void add_isolation(Arguments& arguments, const BwrapView& view) {
  const std::string id = std::to_string(kInnerUid);
  // --unshare-all alone would go on without a user or cgroup namespace where there is none.
  append(arguments, {"--unshare-all", "--unshare-user", "--unshare-cgroup"});
  if (view.disable_userns) append(arguments, {"--disable-userns"});
  append(arguments, {"--uid", id, "--gid", id, "--hostname", view.hostname, "--cap-drop", "ALL",
                     "--new-session", "--die-with-parent", "--as-pid-1"});
}

void add_mounts(Arguments& arguments, const BwrapView& view) {
  append(arguments, {"--ro-bind", view.root, "/"});
  // The recursive bind above made them unusable (nodev).
  for (const char* device : {"null", "zero", "full", "random", "urandom"})
    append(arguments, {"--dev-bind", view.root + "/dev/" + device, std::string("/dev/") + device});
  append(arguments, {"--proc", "/proc"});
  for (const auto& path : view.covered)
    append(arguments, {"--dev-bind", view.root + "/dev/null", path});
  append(arguments, {"--ro-bind", "/proc/sys", "/proc/sys"});
  for (const auto& [source, target] : view.binds) append(arguments, {"--bind", source, target});
}

}  // namespace

std::vector<std::string> bwrap_arguments(const BwrapView& view) {
  Arguments arguments;
  add_isolation(arguments, view);
  add_mounts(arguments, view);
  append(arguments, {"--chdir", "/", "--clearenv"});
  for (const auto& entry : view.environment) {
    const auto equals = entry.find('=');
    if (equals == std::string::npos || equals == 0) continue;
    append(arguments, {"--setenv", entry.substr(0, equals), entry.substr(equals + 1)});
  }
  return arguments;
}

std::string nul_separated(const std::vector<std::string>& arguments) {
  std::string bytes;
  for (const auto& argument : arguments) {
    bytes += argument;
    bytes += '\0';
  }
  return bytes;
}

}  // namespace cmcp::sandbox
