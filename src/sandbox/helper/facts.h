// LauncherFacts: what the launcher found out about this machine while it set itself up. For doctor
// and /health.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "os/confinement.h"
#include "sandbox/helper/profile.h"

namespace cmcp::sandbox {

// The three identity modes.
enum class IdentityMode : std::uint8_t {
  kUnprivileged,  // server, launcher and payload share one host uid
  kRootIdmapped,  // payloads run as slot uids, workspaces are idmapped
  kRootShared,    // payloads run as one uid of the host: the server's, or the workspace's owner
};
// "unprivileged", "root_idmapped", "root_shared".
const char* name_of(IdentityMode mode);

enum class Limiter : std::uint8_t { kCgroupV2, kCgroupV1, kRlimit };
// "cgroup_v2", "cgroup_v1", "rlimit".
const char* name_of(Limiter limiter);

// What keeps one run from taking another's, or the server's, part of the processors.
enum class CpuShare : std::uint8_t {
  kCgroupV2,  // cpu.weight
  kCgroupV1,  // cpu.shares
  kPriority,  // nice: the server comes first; among runs the processes are equal, not the runs
};
// "cgroup_v2", "cgroup_v1", "nice".
const char* name_of(CpuShare share);

struct LauncherFacts {
  IdentityMode identity = IdentityMode::kUnprivileged;
  std::string identity_reason;  // why not a better mode; "" when there is none
  // The host uid and gid that the server must have (after a root start: to drop to).
  std::uint32_t server_uid = 0;
  std::uint32_t server_gid = 0;
  Limiter limiter = Limiter::kRlimit;
  std::string limiter_reason;  // why no cgroup; "" with one
  CpuShare cpu_share = CpuShare::kPriority;
  bool proc = true;  // a fresh /proc can be mounted in sandboxes
  std::string proc_reason;
  std::uint32_t landlock_abi = 0;
  std::uint32_t disabled_layers = 0;  // bit 1 << Layer: left out by a test switch
  std::uint32_t max_runs = 0;
  std::string apparmor;            // the label of payloads with its mode; "" = none
  std::string apparmor_reason;     // why none
  os::Confinement before;          // of the launcher when it began, before its own namespaces
  std::vector<std::string> notes;  // other things worth telling, a sentence each

  bool layer_disabled(Layer layer) const {
    return (disabled_layers >> static_cast<unsigned>(layer) & 1U) != 0;
  }
};

}  // namespace cmcp::sandbox
