#include "sandbox/helper/workspace_quota.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "os/file.h"
#include "os/process.h"
#include "sandbox/helper/bytes.h"
#include "sandbox/helper/run_files.h"

namespace cmcp::sandbox {
namespace {

using std::chrono::milliseconds;

// Less is not worth a count: every file system is used by others too.
constexpr std::uint64_t kNoticedBytes = 1024 * 1024;
constexpr std::uint64_t kNoticedFiles = 64;
// As fast as a run can fill a disk, about.
constexpr std::uint64_t kBytesPerMs = 2'000'000;
constexpr std::uint64_t kFilesPerMs = 200;
constexpr std::uint64_t kMinLook = 20;
constexpr std::uint64_t kMaxLook = 200;
// Counting takes at most a third of a processor, and a fiftieth without suspicion.
constexpr int kRestAfterCount = 2;
constexpr int kRestWithoutSuspicion = 50;
constexpr milliseconds kFirstForced{5000};
constexpr milliseconds kForced{10000};
constexpr std::size_t kMaxAnswer = 1024 * 1024;

std::uint64_t above(std::uint64_t a, std::uint64_t b) {
  return a > b ? a - b : 0;
}

bool is_part_of(const std::vector<pid_t>& some, const std::vector<pid_t>& all) {
  return std::all_of(some.begin(), some.end(), [&all](pid_t pid) {
    return std::find(all.begin(), all.end(), pid) != all.end();
  });
}

FreeSpace free_space(int directory) {
  struct statvfs info{};
  if (::fstatvfs(directory, &info) != 0) return {};
  return {std::uint64_t{info.f_bfree} * info.f_frsize, info.f_ffree};
}

}  // namespace

QuotaLimit quota_of(std::uint64_t bytes) {
  constexpr std::uint64_t kBytesPerFile = 4096;
  constexpr std::uint64_t kLeastFiles = 1024;
  if (bytes == 0) return {};
  return {bytes, std::max(bytes / kBytesPerFile, kLeastFiles)};
}

std::uint64_t QuotaState::bytes_left() const {
  return above(allowed.bytes, usage.bytes);
}

std::uint64_t QuotaState::files_left() const {
  return above(allowed.files, usage.files);
}

bool QuotaState::suspicious(const FreeSpace& now) const {
  return above(free.bytes, now.bytes) > std::max(bytes_left(), kNoticedBytes) ||
         above(free.files, now.files) > std::max(files_left(), kNoticedFiles);
}

bool QuotaState::take(const TreeUsage& count, const FreeSpace& began, const QuotaLimit& quota,
                      bool idle) {
  constexpr unsigned kTooManyEvasions = 8;
  if (!counted) {
    counted = true;
    if (count.bytes > quota.bytes) allowed.bytes = count.bytes + kSlackBytes;
    if (count.files > quota.files) allowed.files = count.files + kSlackFiles;
    usage = count;
    free = began;
    return false;
  }
  const bool over = count.bytes > allowed.bytes || count.files > allowed.files;
  const bool grown = count.bytes > usage.bytes || count.files > usage.files;
  // A tree that is moved about while it is counted shows less than it holds. The older count and
  // its free space stay in force, and so does the suspicion; who keeps that up has a reason.
  if (count.changed && !over) return ++evasions > kTooManyEvasions && !idle;
  evasions = 0;
  usage = count;
  free = began;
  return over && grown && !idle;
}

WorkspaceQuota::WorkspaceQuota(QuotaLimit quota, std::vector<int> roots, int proc)
    : quota_(quota), roots_(std::move(roots)), proc_(proc), states_(roots_.size()) {
  for (std::size_t i = 0; i < roots_.size(); ++i) {
    states_[i].allowed = quota_;
    states_[i].free = free_space(roots_[i]);
  }
}

WorkspaceQuota::~WorkspaceQuota() {
  if (child_ <= 0) return;
  ::kill(child_, SIGKILL);
  ::waitpid(child_, nullptr, 0);
}

WorkspaceQuota::Clock::time_point WorkspaceQuota::next_look(bool active) const {
  return active && child_ < 0 ? next_look_ : Clock::time_point::max();
}

std::uint64_t WorkspaceQuota::file_size(std::uint64_t limit, std::uint64_t least) const {
  std::uint64_t most = least;
  for (const auto& state : states_)
    most = std::max({most, state.usage.largest, state.bytes_left()});
  return std::min(limit, most);
}

std::optional<pid_t> WorkspaceQuota::look(const std::vector<pid_t>& inits) {
  if (child_ > 0) {
    others_grew_ = others_grew_ || !is_part_of(active_, inits);
    active_ = inits;
    // Taken when all of it is there: nobody waits here.
    siginfo_t info{};
    const int waited =
        ::waitid(P_PID, static_cast<id_t>(child_), &info, WEXITED | WNOHANG | WNOWAIT);
    if (waited == 0 && info.si_pid == 0) return std::nullopt;
    return finish_count();
  }
  const auto now = Clock::now();
  const bool active = !inits.empty();
  const bool begins = active && active_.empty();
  if (begins) forced_count_ = now + kFirstForced;
  others_grew_ = others_grew_ || begins || !is_part_of(active_, inits);
  active_ = inits;
  if (active && !begins && now < next_look_) return std::nullopt;
  bool suspicion = false;
  bool uncounted = false;
  std::uint64_t wait = kMaxLook;
  for (std::size_t i = 0; i < roots_.size(); ++i) {
    const FreeSpace free = free_space(roots_[i]);
    suspicion = suspicion || states_[i].suspicious(free);
    uncounted = uncounted || !states_[i].counted;
    const std::uint64_t gone_bytes = above(states_[i].free.bytes, free.bytes);
    const std::uint64_t gone_files = above(states_[i].free.files, free.files);
    wait = std::min({wait, above(states_[i].bytes_left(), gone_bytes) / kBytesPerMs,
                     above(states_[i].files_left(), gone_files) / kFilesPerMs});
  }
  next_look_ = now + milliseconds(std::max(wait, kMinLook));
  const bool due =
      (active && suspicion && now >= next_count_) || uncounted || (active && now >= forced_count_);
  if (due) begin_count(now, inits);
  return std::nullopt;
}

void WorkspaceQuota::begin_count(Clock::time_point now, const std::vector<pid_t>& inits) {
  auto pipe = os::make_pipe();
  if (!pipe.ok()) return;
  began_.clear();
  for (const int root : roots_) began_.push_back(free_space(root));
  auto child = os::fork_with(0);
  if (!child.ok()) return;
  if (child->pid == 0) count_in_child(pipe->write_end.get(), inits);
  child_ = child->pid;
  counter_ = std::move(child->pidfd);
  answer_ = std::move(pipe->read_end);
  counted_inits_ = inits;
  count_began_ = now;
}

// A figure for each workspace, then what each run has written.
void WorkspaceQuota::count_in_child(int answer, const std::vector<pid_t>& inits) const {
  ::setpriority(PRIO_PROCESS, 0, 5);
  ByteWriter writer;
  const RunFiles runs = files_of_runs(proc_, inits);
  for (const int root : roots_) {
    TreeUsage usage = count_tree(root);
    const TreeUsage unnamed = runs.unnamed_on(root);
    writer.number(usage.bytes + unnamed.bytes);
    writer.number(usage.files + unnamed.files);
    writer.number(usage.largest);
    writer.flag(usage.changed);
  }
  for (const std::uint64_t written : runs.written) writer.number(written);
  (void)os::write_all(answer, writer.take());
  ::_exit(0);
}

std::optional<pid_t> WorkspaceQuota::finish_count() {
  const auto answer = os::read_all(answer_.get(), kMaxAnswer);
  answer_.reset();
  counter_.reset();
  ::waitpid(child_, nullptr, 0);
  child_ = -1;
  const auto now = Clock::now();
  const auto took = now - count_began_;
  next_count_ = now + took * kRestAfterCount;
  forced_count_ = now + std::max<Clock::duration>(kForced, took * kRestWithoutSuspicion);
  if (!answer.ok()) return std::nullopt;
  ByteReader reader(*answer);
  bool exceeded = false;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    TreeUsage usage;
    usage.bytes = reader.number<std::uint64_t>();
    usage.files = reader.number<std::uint64_t>();
    usage.largest = reader.number<std::uint64_t>();
    usage.changed = reader.flag();
    if (reader.failed()) return std::nullopt;
    exceeded = states_[i].take(usage, began_[i], quota_, counted_inits_.empty()) || exceeded;
  }
  std::vector<std::uint64_t> written;
  for (std::size_t i = 0; i < counted_inits_.size(); ++i)
    written.push_back(reader.number<std::uint64_t>());
  return greatest_writer(written, exceeded);
}

// Since the last count. What grew by a run that has ended since is not charged to those that are
// left, unless they write too; when it goes on growing the next count finds them.
std::optional<pid_t> WorkspaceQuota::greatest_writer(const std::vector<std::uint64_t>& written,
                                                     bool exceeded) {
  std::map<pid_t, std::uint64_t> now;
  std::optional<pid_t> most;
  std::uint64_t most_written = 0;
  for (std::size_t i = 0; i < counted_inits_.size(); ++i) {
    const pid_t init = counted_inits_[i];
    now[init] = written[i];
    const std::uint64_t since = above(written[i], written_[init]);
    if (!most || since > most_written) {
      most = init;
      most_written = since;
    }
  }
  written_ = std::move(now);
  const bool others_grew = std::exchange(others_grew_, false);
  if (!exceeded || (others_grew && most_written < kNoticedBytes)) return std::nullopt;
  return most;
}

}  // namespace cmcp::sandbox
