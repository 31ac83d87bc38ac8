#include "sandbox/level.h"

#include <errno.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"

namespace cmcp::sandbox {
namespace {

constexpr const char* kAppArmorFix =
    "install the AppArmor profile that allows them to container-mcp alone "
    "(deploy/apparmor/container-mcp.in); bin/run offers it, or as "
    "root: bin/apparmor-profile DIRECTORY > /etc/apparmor.d/container-mcp && apparmor_parser -r "
    "/etc/apparmor.d/container-mcp, where "
    "DIRECTORY holds the container-mcp program";
constexpr const char* kContainerFix =
    "start the container with --security-opt seccomp=deploy/seccomp/container-mcp.json (a filter "
    "that allows user namespaces and mounts), --security-opt apparmor=container-mcp (a profile "
    "with userns, mount, umount and pivot_root; on the host as root: bin/apparmor-profile "
    "--container | apparmor_parser -r), and --security-opt unmask=ALL (Docker: "
    "systempaths=unconfined)";
constexpr const char* kContainerAppArmorFix =
    "on the host, as root: bin/apparmor-profile --container | apparmor_parser -r; then start the "
    "container with --security-opt apparmor=container-mcp (or without any profile: "
    "apparmor=unconfined)";
constexpr const char* kContainerSeccompFix =
    "start the container with --security-opt seccomp=deploy/seccomp/container-mcp.json, which "
    "allows what building a sandbox needs and refuses what Docker's own filter refuses besides";

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool is_active(const LayerReports& reports, Layer layer) {
  return std::any_of(reports.begin(), reports.end(),
                     [layer](const auto& r) { return r.layer == layer && r.active; });
}

bool all_active(const LayerReports& reports, std::initializer_list<Layer> layers) {
  return std::all_of(layers.begin(), layers.end(),
                     [&](Layer layer) { return is_active(reports, layer); });
}

Diagnosis apparmor_userns() {
  return {
      "AppArmor forbids unprivileged user namespaces on this host "
      "(kernel.apparmor_restrict_unprivileged_userns=1, the "
      "default of Ubuntu 24.04)",
      kAppArmorFix};
}

// The namespace could be created, but not its id maps written: what AppArmor's restriction looks
// like, and some containers.
Diagnosis id_maps_refused(const HostFacts& facts, const std::string& what) {
  return {
      "the kernel refuses the id maps of a user namespace (" + what +
          "): AppArmor restricts unprivileged user namespaces "
          "(kernel.apparmor_restrict_unprivileged_userns=1, the default of Ubuntu 24.04), or a "
          "container or security module does",
      std::string(kAppArmorFix) +
          (facts.in_container ? std::string("; in a container: ") + kContainerFix : std::string())};
}

bool names_id_maps(std::string_view message) {
  return contains(message, "uid_map") || contains(message, "gid_map") ||
         contains(message, "setgroups") || contains(message, "id maps");
}

// Which of a container's fences it was: AppArmor answers mounts with EACCES, a seccomp filter the
// making of namespaces with EPERM or ENOSYS.
Diagnosis container_refuses(const HostFacts& facts, const std::string& what, bool confined) {
  // Podman's own filter allows namespaces and refuses sethostname within them.
  const bool naming = contains(what, "sethostname");
  const bool making = naming || contains(what, "unshare") || contains(what, "clone");
  if (confined && !making && contains(what, "Permission denied")) {
    return {
        fmt::format("the container runs under the AppArmor profile {}, which forbids mounts ({})",
                    facts.apparmor_label, what),
        kContainerAppArmorFix};
  }
  if (making && !contains(what, "Permission denied")) {
    return {std::string("the container's seccomp filter does not let this process ") +
                (naming ? "name its own host" : "create user namespaces") + " (" + what + ")",
            kContainerSeccompFix};
  }
  return {"the container does not let this process create user namespaces or mounts (" + what + ")",
          kContainerFix};
}

Diagnosis no_user_namespaces(const HostFacts& facts, const std::string& what) {
  if (facts.max_user_namespaces == 0) {
    return {"user namespaces are switched off on this host (user.max_user_namespaces=0)",
            "as root: sysctl -w user.max_user_namespaces=15000, and the same line in "
            "/etc/sysctl.d/container-mcp.conf"};
  }
  if (facts.unprivileged_userns_clone == 0 && facts.uid != 0) {
    return {
        "unprivileged user namespaces are switched off on this host "
        "(kernel.unprivileged_userns_clone=0)",
        "as root: sysctl -w kernel.unprivileged_userns_clone=1, and the same line in "
        "/etc/sysctl.d/container-mcp.conf"};
  }
  const bool confined =
      !facts.apparmor_label.empty() && !facts.apparmor_label.starts_with("unconfined");
  if (facts.apparmor_restricts_userns.value_or(0) != 0 && facts.uid != 0 && !confined)
    return apparmor_userns();
  if (names_id_maps(what)) return id_maps_refused(facts, what);
  if (facts.in_container) return container_refuses(facts, what, confined);
  if (confined) {
    return {fmt::format("this process runs under the AppArmor profile {}, which forbids it ({})",
                        facts.apparmor_label, what),
            "allow userns, mount, umount and pivot_root in that profile, or start container-mcp "
            "outside it"};
  }
  return {"user namespaces or mounts are refused (" + what + ")",
          "run `container-mcp doctor` as this user; another security module or a seccomp filter "
          "around this process "
          "forbids user namespaces or mounts"};
}

bool is_refusal(int error) {
  return error == EPERM || error == EACCES;
}

// Words of the steps at which a kernel without permission for user namespaces stops the launcher.
bool names_namespace_step(std::string_view message) {
  for (const char* word : {"uid_map", "gid_map", "setgroups", "id maps", "unshare", "CLONE_NEWUSER",
                           "clone3", "user namespace", "sethostname", "mount", "pivot_root",
                           "RTM_NEWADDR", "loopback", "SIOCSIFFLAGS"}) {
    if (contains(message, word)) return true;
  }
  return false;
}

// "uid_map: Permission denied" carries its errno in words when it crossed a process border as text.
int error_of(const Error& failure) {
  if (failure.os_errno() != 0) return failure.os_errno();
  if (contains(failure.message(), "Permission denied")) return EACCES;
  if (contains(failure.message(), "Operation not permitted")) return EPERM;
  if (contains(failure.message(), "No space left on device")) return ENOSPC;
  if (contains(failure.message(), "Function not implemented")) return ENOSYS;
  return 0;
}

Diagnosis landlock_missing(const LayerReport& report, const HostFacts& facts) {
  if (facts.landlock_abi == 0) {
    return {fmt::format(
                "this kernel ({}) has no Landlock, or it is not among the active security modules",
                facts.kernel),
            "use a kernel of 5.13 or later and boot it with landlock in its lsm= list (grep "
            "landlock /sys/kernel/security/lsm); "
            "or accept a weaker sandbox: SANDBOX_REQUIRE=L1"};
  }
  return {report.detail,
          "report this with the output of `container-mcp doctor`: the kernel has Landlock, the "
          "sandbox does not use it"};
}

}  // namespace

const char* name_of(Level level) {
  switch (level) {
    case Level::kL0:
      return "L0";
    case Level::kL1:
      return "L1";
    case Level::kL2:
      return "L2";
    case Level::kL3:
      return "L3";
  }
  return "L0";
}

Result<Level> parse_level(std::string_view text) {
  for (const Level level : {Level::kL0, Level::kL1, Level::kL2, Level::kL3}) {
    if (equals_ignore_case(text, name_of(level))) return level;
  }
  return Error(
      ErrorCode::kInvalidArgument,
      fmt::format(
          "SANDBOX_REQUIRE: \"{}\" is no level. Allowed: L3 (all layers), L2, L1, L0 (no sandbox).",
          printable(text)));
}

Level level_of(const LayerReports& reports) {
  const bool restricted =
      all_active(reports, {Layer::kSeccomp, Layer::kMemoryLimit, Layer::kProcessLimit,
                           Layer::kCapabilities, Layer::kNoNewPrivs});
  if (!restricted) return Level::kL0;
  if (!is_active(reports, Layer::kLandlock)) return Level::kL1;
  const bool complete = std::all_of(std::begin(kLayers), std::end(kLayers),
                                    [&](Layer layer) { return is_active(reports, layer); });
  return complete ? Level::kL3 : Level::kL2;
}

Diagnosis diagnose_failure(const Error& failure, const HostFacts& facts) {
  const int error = error_of(failure);
  const std::string& message = failure.message();
  if (error == ENOSPC && names_namespace_step(message)) {
    return {"no more user or other namespaces may be created here: " + message,
            "as root: raise user.max_user_namespaces (and its siblings in /proc/sys/user)"};
  }
  if (contains(message, "/proc") && contains(message, "mount") && facts.proc_is_masked) {
    return {
        "parts of /proc are covered here (a container's masks), so the kernel refuses a fresh "
        "/proc: " +
            message,
        "start the container with --security-opt unmask=ALL (Podman) or --security-opt "
        "systempaths=unconfined (Docker)"};
  }
  if (error == EINVAL && contains(message, "clone3") && facts.max_user_namespaces == 0)
    return no_user_namespaces(facts, message);
  if ((is_refusal(error) || error == ENOSYS) && names_namespace_step(message))
    return no_user_namespaces(facts, message);
  if (contains(message, "seccomp") && !facts.seccomp_filter) {
    return {fmt::format("this kernel ({}) has no seccomp filters", facts.kernel),
            "use a kernel with CONFIG_SECCOMP_FILTER"};
  }
  return {message, "run `container-mcp doctor`; LOG_LEVEL=DEBUG shows every step of the set-up"};
}

Diagnosis diagnose_layer(const LayerReport& report, const HostFacts& facts) {
  switch (report.layer) {
    case Layer::kUserNamespace:
    case Layer::kMountNamespace:
    case Layer::kPidNamespace:
    case Layer::kNetworkNamespace:
    case Layer::kIpcNamespace:
    case Layer::kUtsNamespace:
    case Layer::kCgroupNamespace:
      return {report.detail, no_user_namespaces(facts, report.detail).fix};
    case Layer::kLandlock:
      return landlock_missing(report, facts);
    case Layer::kSeccomp:
      if (facts.seccomp_filter) break;
      return {fmt::format("this kernel ({}) has no seccomp filters", facts.kernel),
              "use a kernel with CONFIG_SECCOMP_FILTER"};
    case Layer::kMemoryLimit:
      return {report.detail,
              "delegate a cgroup to this server (systemd: Delegate=yes; containers: "
              "--cgroupns=private and a writable "
              "/sys/fs/cgroup), or report this: RLIMIT_DATA should have held"};
    case Layer::kProc:
      if (!facts.proc_is_masked) break;
      return {report.detail,
              "start the container with --security-opt unmask=ALL (Podman) or "
              "systempaths=unconfined (Docker)"};
    default:
      break;
  }
  return {report.detail,
          "report this with the output of `container-mcp doctor`: it should hold on every "
          "supported kernel"};
}

Status require_level(Level required, const LayerReports& reports,
                     const std::optional<Error>& failure, const HostFacts& facts) {
  const Level level = failure ? Level::kL0 : level_of(reports);
  if (level >= required) return {};
  std::string text = fmt::format(
      "No sandbox of level {} (SANDBOX_REQUIRE) can be built here, so nothing is run: the level is "
      "{}.",
      name_of(required), name_of(level));
  const auto add = [&text](std::string_view head, const Diagnosis& diagnosis) {
    text += fmt::format("\n{}: {}.\n  Fix: {}.", head, diagnosis.cause, diagnosis.fix);
  };
  if (failure) {
    add("Cause", diagnose_failure(*failure, facts));
  } else {
    for (const auto& report : reports) {
      if (!report.active)
        add(fmt::format("Missing {}", name_of(report.layer)), diagnose_layer(report, facts));
    }
  }
  return Error(ErrorCode::kUnavailable, text, failure ? failure->os_errno() : 0);
}

}  // namespace cmcp::sandbox
