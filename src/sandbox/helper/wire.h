// The messages between server and launcher, over one SOCK_SEQPACKET socketpair (set-up and
// kLauncher over the supervisor's). Small bodies travel inside the message, larger ones in a sealed
// memory file that is the first descriptor.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "os/fd_passing.h"
#include "sandbox/helper/backend.h"
#include "sandbox/helper/facts.h"
#include "sandbox/helper/profile.h"

namespace cmcp::sandbox::wire {

enum class Type : std::uint8_t {
  kSetup = 1,  // server -> launcher, once
  kReady,      // launcher -> server, once: Facts, and one descriptor per workspace root
  kRefused,    // launcher -> server, instead of kReady: a text
  kStart,      // server -> launcher: Start and the payload's descriptors
  kKill,       // server -> launcher: Kill
  kEnded,      // launcher -> server: Ended
  kLauncher,   // supervisor -> server: the socket of a launcher that has just been started
};

inline constexpr std::size_t kMaxInlineBody = 32 * 1024;
inline constexpr std::size_t kMaxBody = 16 * 1024 * 1024;
inline constexpr std::size_t kMaxPayloadFds = 32;

struct Envelope {
  Type type = Type::kSetup;
  std::string body;
  std::vector<Fd> fds;
};
// kLimitExceeded when body or descriptors are too many, kBusy when `mode` is kDontWait and the
// socket is full, kUnavailable when the other side has gone.
Status send(int socket, Type type, std::string body, const std::vector<int>& fds,
            os::SendMode mode);
// Nothing when the other side has closed. kProtocol for anything malformed, kBusy when a
// non-blocking socket has none.
Result<std::optional<Envelope>> receive(int socket);

struct Setup {
  std::uint32_t max_runs = 1;
  std::uint32_t server_uid =
      0;  // who the server will be; after a root start the launcher maps files to it
  std::uint32_t server_gid = 0;
  std::uint32_t disabled_layers = 0;  // bit 1 << Layer; refused without CMCP_TEST_SWITCHES
  bool without_cgroup = false;        // test switches, as above
  bool without_idmap = false;
  bool deny_user_namespaces = false;  // as if writing uid_map were refused (Ubuntu 24.04)
  // A descriptor comes with this message: kBwrap: cmcp-stage; kFirejail, unless started by root: a
  // detached copy of the whole /proc.
  Backend backend = Backend::kNative;
  bool bwrap_disable_userns = false;
  std::uint64_t quota_bytes = 0;  // of each workspace; 0: none
  std::vector<WorkspaceRoot> roots;
  std::vector<Profile> profiles;
};
std::string encode(const Setup& setup);
Result<Setup> decode_setup(std::string_view bytes);

std::string encode(const LauncherFacts& facts);
Result<LauncherFacts> decode_facts(std::string_view bytes);

struct Start {
  std::uint64_t run = 0;
  std::uint32_t profile = 0;  // index into Setup::profiles
  std::vector<std::string> argv;
  std::vector<std::string> environment;  // added to the profile's
  std::string working_dir;               // relative to /workspace
  std::uint64_t timeout_ms = 0;
  std::uint64_t memory = 0;  // 0: the profile's; else not more than that
};
std::string encode(const Start& start);
Result<Start> decode_start(std::string_view bytes);

struct Kill {
  std::uint64_t run = 0;
};
std::string encode(const Kill& kill);
Result<Kill> decode_kill(std::string_view bytes);

// Why the launcher killed a run.
enum class KillReason : std::uint8_t { kNone, kTime, kCancel, kCpu, kMemory, kDisk };

struct Ended {
  enum class Kind : std::uint8_t {
    kEnded,        // wait_status says how
    kKilled,       // before it ended by itself, see reason
    kNoDirectory,  // error: errno of chdir
    kNoExec,       // error: errno of execve
    kFailed,       // nothing was run: failure says why
  };
  std::uint64_t run = 0;
  Kind kind = Kind::kFailed;
  KillReason reason = KillReason::kNone;
  std::int32_t wait_status = 0;
  std::int32_t error = 0;
  std::uint32_t killed_processes = 0;
  std::uint32_t oom_kills = 0;      // by the cgroup, during this run
  std::uint32_t refused_forks = 0;  // by the cgroup, during this run
  bool tmp_full = false;            // /tmp or /dev/shm had no room left when the program ended
  bool quota_caps_files = false;    // the file size limit is what the workspace had left
  std::uint64_t cpu_us = 0;
  std::uint64_t peak_memory = 0;  // bytes
  std::string failure;
  // CLOCK_MONOTONIC ns: received, cloned, child begins, identity done, mounts done, locked down,
  // init began, payload ended, reaped. 0 where a step was not reached.
  std::array<std::uint64_t, 9> times{};
};
std::string encode(const Ended& ended);
Result<Ended> decode_ended(std::string_view bytes);

}  // namespace cmcp::sandbox::wire
