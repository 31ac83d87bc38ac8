// Runner: starts one program in one single-use sandbox and reports how it ended. What the managers
// use; implemented by launcher_client. All calls and callbacks on the reactor thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"

namespace cmcp::sandbox {

// Which limit ended a run.
enum class LimitKind { kNone, kTime, kCpu, kMemory, kProcesses, kDisk, kFileSize };
// "time", "cpu", "memory", "processes", "disk", "file_size"; nullptr for kNone.
const char* name_of(LimitKind kind);

// How much of each output stream is shown, and how much is kept for resources/read.
struct OutputBudget {
  std::size_t max_chars = 40000;  // per stream; 0 = no limit but `keep`
  Bytes keep = Bytes::mebi(16);   // per call
};

struct RunRequest {
  std::string profile;
  std::string principal = "local";       // whom the kept outputs belong to
  std::vector<std::string> argv;         // argv[0] is the absolute path in the sandbox
  std::vector<std::string> environment;  // NAME=VALUE, added to the profile's (a later one wins)
  std::string working_dir;  // relative to /workspace; "" = /workspace. Checked by the caller,
                            // followed inside
  std::chrono::milliseconds timeout{30000};
  std::optional<std::string> stdin_data;  // nothing: /dev/null
  std::vector<std::string>
      inputs;  // each becomes a readable descriptor 3, 4, … holding these bytes
  bool result_channel =
      false;  // one more descriptor, the next number, whose bytes arrive in `result`
  Bytes result_limit = Bytes::mebi(4);
  std::optional<Bytes> memory;  // may only lower the profile's
  OutputBudget budget;
};

// A captured output stream, bounded in memory whatever the program printed.
struct CapturedStream {
  std::string
      text;  // head and tail around the omission line; well-formed UTF-8 without ANSI sequences
  bool truncated = false;
  std::uint64_t omitted_bytes = 0;  // left out of `text`
  std::uint64_t invalid_bytes = 0;
  std::uint64_t total_bytes = 0;
  std::string kept_uri;  // output:///ID/STREAM when truncated and kept, else ""
  std::uint64_t kept_bytes = 0;
};

struct Usage {
  std::uint64_t cpu_ms = 0;
  std::uint64_t peak_memory_bytes = 0;
};

struct RunOutcome {
  enum class End {
    kExited,      // exit_code is the program's
    kSignaled,    // signal is the number, exit_code 128+signal
    kTimedOut,    // exit_code 124
    kCancelled,   // by RunHandle::cancel or shutdown
    kNotStarted,  // the program could not be executed: exit_code 126 or 127, or working_dir missing
                  // (126)
    kSandboxFailed,  // a step of the set-up failed, or the launcher died: nothing was run,
                     // `failure` says why
  };
  End end = End::kSandboxFailed;
  int exit_code = -1;
  int signal = 0;
  LimitKind limit = LimitKind::kNone;
  std::string failure;  // for kNotStarted and kSandboxFailed: a sentence for the client
  ErrorCode failure_code = ErrorCode::kUnavailable;  // for kSandboxFailed; kBusy: try again
  std::uint32_t killed_processes = 0;                // left running when the main process ended
  std::chrono::milliseconds duration{0};
  Usage usage;
  CapturedStream out;
  CapturedStream err;
  std::string result;  // bytes of the result channel, at most result_limit
  bool result_overflow = false;
};

// What a run tells while it runs.
struct RunEvents {
  std::function<void(RunOutcome)> done;  // exactly once, last
  std::function<void(std::string_view new_output)>
      output;  // optional: decoded text as it arrives (both streams)
};

// Cancels its run when told to; destruction does not cancel. After `done` it does nothing.
class RunHandle {
 public:
  virtual ~RunHandle() = default;
  virtual void cancel() = 0;
};

class Runner {
 public:
  virtual ~Runner() = default;
  // kBusy when SANDBOX_MAX_RUNS runs are in progress, kUnavailable when the level is below
  // SANDBOX_REQUIRE (the message names cause and fix), kInvalidArgument when the request is not a
  // narrowing of the profile. Then no callback comes.
  virtual Result<std::shared_ptr<RunHandle>> start(RunRequest request, RunEvents events) = 0;
};

}  // namespace cmcp::sandbox
