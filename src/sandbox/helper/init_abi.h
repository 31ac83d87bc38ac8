// What launcher, its forked child and the freestanding init tell each other over the control socket
// of one sandbox. Plain data only: init has no C++ library. All three are built from this header
// together; it is no stable format.
#pragma once

#include <stdint.h>

namespace cmcp::sandbox {

// Descriptor numbers in init when it starts.
enum InitFd : int {
  kControlFd = 3,       // SOCK_SEQPACKET: InitConfig arrives, InitRecords leave
  kSeccompFd = 4,       // a memory file with the filter
  kLandlockFd = 5,      // the prepared ruleset
  kLabelFd = 6,         // reads init's AppArmor label
  kFirstPayloadFd = 7,  // becomes 0 in the payload, the next one 1, …
};

inline constexpr uint32_t kInitMagic = 0x636d6370;
inline constexpr uint32_t kMaxWorkingDir = 4096;
inline constexpr uint32_t kMaxFilterSteps = 4096;
inline constexpr uint32_t kMaxLabel = 256;

// launcher -> init: one message.
struct InitConfig {
  uint32_t magic;
  uint32_t payload_fds;
  uint32_t use_seccomp;
  uint32_t use_landlock;
  char working_dir[kMaxWorkingDir];  // absolute, ends with 0
  char label[kMaxLabel];             // the AppArmor label that init must find on itself; "" = none
};

// The steps whose failure is reported by number (with errno): names in init_abi's step_name().
enum SetupStep : uint32_t {
  kStepNone,
  kStepIdMaps,
  kStepCgroup,
  kStepIdentity,
  kStepHostname,
  kStepRoot,
  kStepTmpfs,
  kStepProc,
  kStepWorkspace,
  kStepLimits,
  kStepCapabilities,
  kStepNoNewPrivs,
  kStepLandlockRules,
  kStepDescriptors,
  kStepExecInit,
  kStepInitConfig,
  kStepFork,
  kStepSession,
  kStepLandlockRestrict,
  kStepPayloadFds,
  kStepCloseRange,
  kStepSeccomp,
  kStepBubblewrap,
  kStepLabel,
  kStepLabelTaken,
  kStepCount,
};

enum InitRecordKind : uint32_t {
  kRecordSetUp = 1,    // the launcher's child is done and executes init now
  kRecordFailed,       // `step` failed with `error`: nothing ran
  kRecordNoDirectory,  // chdir to the working directory failed with `error`
  kRecordNoExec,       // execve of the program failed with `error`
  kRecordEnded,        // the main process ended
};

// child or init -> launcher. Times are CLOCK_MONOTONIC in nanoseconds.
struct InitRecord {
  uint32_t kind;
  uint32_t step;
  int32_t error;
  int32_t wait_status;
  uint32_t killed;    // processes that were still there when the main process ended
  uint32_t emptied;   // 1: every other process of the sandbox has ended and been reaped
  uint32_t tmp_full;  // kRecordEnded: a tmpfs of the sandbox had no room or no inode left
  uint32_t padding;
  uint64_t cpu_us;        // all processes of the sandbox
  uint64_t peak_rss_kib;  // of the largest process
  uint64_t times[4];  // kRecordSetUp: begin, identity done, mounts done, locked down; kRecordEnded:
                      // init began, ended
};

}  // namespace cmcp::sandbox
