// WorkspaceQuota: what a workspace may hold, for file systems that keep no quota.
//
// Looking is cheap and counting is not: while runs are in progress the file system's free space is
// looked at, and only when more is gone than the workspace had left is its tree counted, by a child
// process, so that the launcher's loop never waits. The less is left, the sooner the next look.
//
// A workspace that holds more than the quota already (the user's own directory) is not refused:
// runs start, may delete, and may grow it by a little (kSlack…) before one is ended.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/fd.h"
#include "sandbox/helper/tree_usage.h"

namespace cmcp::sandbox {

struct QuotaLimit {
  std::uint64_t bytes = 0;  // 0: no quota
  std::uint64_t files = 0;

  bool enabled() const { return bytes != 0; }
};

// A file for each 4 KB of the quota, at least 1024.
QuotaLimit quota_of(std::uint64_t bytes);

inline constexpr std::uint64_t kSlackBytes = 16 * 1024 * 1024;
inline constexpr std::uint64_t kSlackFiles = 4096;

struct FreeSpace {
  std::uint64_t bytes = 0;
  std::uint64_t files = 0;
};

// What is known of one workspace. Pure: the decisions without the system calls.
struct QuotaState {
  TreeUsage usage;        // as last counted, with what was deleted and is still open
  FreeSpace free;         // of its file system when that count began
  QuotaLimit allowed;     // the quota, or more where the workspace began with more
  bool counted = false;   // usage is a count, and not the assumption of an empty workspace
  unsigned evasions = 0;  // counts in a row that the tree's movements spoiled

  // What may still be added.
  std::uint64_t bytes_left() const;
  std::uint64_t files_left() const;
  // Whether as much is gone from the file system as only an exceeded quota (or a neighbour)
  // explains.
  bool suspicious(const FreeSpace& now) const;
  // Takes a count that began with `began` free; `idle`: no run was in progress. True when the quota
  // is exceeded and the workspace has grown since the last count: a run has to be ended.
  bool take(const TreeUsage& count, const FreeSpace& began, const QuotaLimit& quota, bool idle);
};

class WorkspaceQuota {
 public:
  using Clock = std::chrono::steady_clock;

  // `roots`: directories that runs can write (O_PATH, stay the caller's); `proc`: of a /proc that
  // shows the runs.
  WorkspaceQuota(QuotaLimit quota, std::vector<int> roots, int proc);
  ~WorkspaceQuota();
  WorkspaceQuota(const WorkspaceQuota&) = delete;
  WorkspaceQuota& operator=(const WorkspaceQuota&) = delete;

  // When look() should be called next; `active`: runs are in progress.
  Clock::time_point next_look(bool active) const;
  // Readable when a count is ready; -1 while none is made.
  int descriptor() const { return counter_.get(); }
  // Whether `pid` is the child that counts.
  bool is_counter(pid_t pid) const { return pid == child_; }
  // Looks, counts when it must, and takes a count that is ready. `inits`: pid 1 of each run in
  // progress. Returns the one to be ended: the run that has written most of those that a workspace
  // has grown under.
  std::optional<pid_t> look(const std::vector<pid_t>& inits);
  // The largest file that a run may make: what is left, but never less than a file that is there or
  // than `least`.
  std::uint64_t file_size(std::uint64_t limit, std::uint64_t least) const;

 private:
  void begin_count(Clock::time_point now, const std::vector<pid_t>& inits);
  [[noreturn]] void count_in_child(int answer, const std::vector<pid_t>& inits) const;
  std::optional<pid_t> finish_count();
  std::optional<pid_t> greatest_writer(const std::vector<std::uint64_t>& written, bool exceeded);

  QuotaLimit quota_;
  std::vector<int> roots_;
  int proc_;
  std::vector<QuotaState> states_;
  std::vector<FreeSpace> began_;  // of the count in progress
  Fd answer_;
  Fd counter_;  // pidfd of the child that counts
  pid_t child_ = -1;
  std::vector<pid_t> counted_inits_;  // the runs that were in progress when it began
  // What has grown since the last count may be the work of a run that has ended, or of nobody.
  bool others_grew_ = false;
  std::vector<pid_t> active_;               // the runs that were seen last
  std::map<pid_t, std::uint64_t> written_;  // by them, at the last count
  Clock::time_point count_began_;
  Clock::time_point next_look_;
  Clock::time_point next_count_;    // not sooner, however suspicious
  Clock::time_point forced_count_;  // not later, while runs are in progress
};

}  // namespace cmcp::sandbox
