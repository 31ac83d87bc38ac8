// Profile: everything that describes one kind of sandbox, decided by the server at start and sent
// to the launcher once. A run names a profile and may only narrow it. Plain values; encode/decode
// in profile_codec.h.
#pragma once

#include <linux/filter.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/types.h"

namespace cmcp::sandbox {

// A read-only bind of one host file or directory tree: always nosuid,nodev.
struct BindMount {
  HostPath source;
  SandboxPath target;
  bool exec = true;       // false: noexec
  bool optional = false;  // absent on the host: left out without an error
};

// A fresh tmpfs in every sandbox (nosuid,nodev).
struct TmpfsMount {
  SandboxPath target;
  Bytes size;
  std::uint64_t max_inodes = 0;
  std::uint32_t mode = 01777;
  bool exec = false;
};

struct Symlink {
  SandboxPath path;
  std::string target;
};

// A small file that we write into the root ("/etc/passwd").
struct StaticFile {
  SandboxPath path;
  std::string content;
  std::uint32_t mode = 0444;
};

// The read-only part of a root: built once per profile by the launcher, cloned for each sandbox.
// Order: directories, files, symlinks, binds, masks; all mount points exist before anything an
// attacker writes is mounted.
struct RootPlan {
  std::vector<SandboxPath> directories;  // parents before children
  std::vector<StaticFile> files;
  std::vector<Symlink> symlinks;
  std::vector<BindMount> binds;
  std::vector<SandboxPath> masks;  // covered by an empty read-only directory (dist-packages)
  std::vector<TmpfsMount> tmpfs;   // /tmp, /dev/shm
  bool proc = true;                // fresh, hardened /proc
};

enum class Access : std::uint8_t {
  kRead,         // read files and directories
  kReadExecute,  // also execute
  kExecuteFile,  // one file: read and execute
  kReadWrite,    // everything but execute
  kReadWriteExecute,
};

// One Landlock rule. The workspace's rule is added by itself from workspace_exec and the
// workspace's read-only flag.
struct LandlockRule {
  SandboxPath path;
  Access access = Access::kRead;
};

// Per-sandbox limits. A run may lower memory and cpu_seconds.
struct Limits {
  Bytes memory = Bytes::mebi(512);
  std::uint32_t processes = 64;
  std::uint32_t cpu_seconds = 60;
  Bytes file_size = Bytes::mebi(1024);
  std::uint32_t open_files = 1024;
  Bytes stack = Bytes::mebi(8);
};

struct Profile {
  std::string name;  // "bash", "python"
  RootPlan root;
  std::vector<LandlockRule> landlock;
  std::vector<sock_filter> seccomp;  // compiled filter, loaded last
  Limits limits;
  std::vector<std::string>
      environment;             // NAME=VALUE: the whole environment but for what the run adds
  bool workspace_exec = true;  // false: noexec on every workspace and tmpfs
  std::string hostname = "sandbox";
};

// A workspace root that is mounted at /workspace (name "") or /workspace/NAME.
struct WorkspaceRoot {
  HostPath path;
  std::string name;
  bool read_only = false;
};

// The layers of the sandbox, in the words of doctor. With CMCP_TEST_SWITCHES,
// CMCP_TEST_DISABLE_LAYER=NAME[,NAME…] in the server's environment leaves a layer out, so that
// tests can prove that the probe notices.
enum class Layer : std::uint8_t {
  kUserNamespace,
  kMountNamespace,
  kPidNamespace,
  kNetworkNamespace,
  kIpcNamespace,
  kUtsNamespace,
  kCgroupNamespace,
  kReadOnlyRoot,
  kProc,
  kCapabilities,
  kNoNewPrivs,
  kSeccomp,
  kLandlock,
  kMemoryLimit,
  kProcessLimit,
};
inline constexpr Layer kLayers[] = {
    Layer::kUserNamespace,    Layer::kMountNamespace, Layer::kPidNamespace,
    Layer::kNetworkNamespace, Layer::kIpcNamespace,   Layer::kUtsNamespace,
    Layer::kCgroupNamespace,  Layer::kReadOnlyRoot,   Layer::kProc,
    Layer::kCapabilities,     Layer::kNoNewPrivs,     Layer::kSeccomp,
    Layer::kLandlock,         Layer::kMemoryLimit,    Layer::kProcessLimit};
// "user_namespace", "seccomp", …: as in doctor --json.
const char* name_of(Layer layer);

}  // namespace cmcp::sandbox
