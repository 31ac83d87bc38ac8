// Opening and reading regular files of the workspace: never waits for a FIFO, never touches a
// device, never follows a link at the final name.
#pragma once

#include <sys/stat.h>

#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"
#include "managers/file/cancel_flag.h"
#include "managers/file/workspace.h"

namespace cmcp::file {

struct RegularFile {
  Fd fd;
  struct stat status{};
};

// "a directory", "a named pipe", …: for messages.
const char* kind_name(mode_t mode);

// What stands at `place` must be a regular file. kNotFound "File not found: P", kInvalidArgument
// "Path is a directory: P" or "Not a regular file: …", kUnavailable when a link has taken the name
// since it was resolved: resolve again. `path` is the path as given.
Result<RegularFile> open_regular(const Place& place, std::string_view path);

// All bytes of `file`. kLimitExceeded "File too large: N bytes (maximum M MB)", also when it grows
// meanwhile; kCancelled.
Result<std::string> read_all(const RegularFile& file, Bytes limit, std::string_view path,
                             const CancelFlag& cancel);

// "N bytes (maximum M MB)".
std::string size_text(std::uint64_t bytes, Bytes limit);

// Calls `attempt` until it fails for another reason than kUnavailable, a bounded number of times.
template <typename Attempt>
auto retry_while_swapped(Attempt attempt, std::string_view path) -> decltype(attempt()) {
  constexpr int kAttempts = 16;
  for (int i = 0; i < kAttempts; ++i) {
    auto result = attempt();
    if (result.ok() || result.error().code() != ErrorCode::kUnavailable) return result;
  }
  return Error(ErrorCode::kBusy,
               shown(path) + " was changed again and again while it was being opened; try again");
}

}  // namespace cmcp::file
