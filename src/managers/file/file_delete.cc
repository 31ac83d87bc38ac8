#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "managers/file/directory_stack.h"
#include "managers/file/file_core.h"
#include "managers/file/regular_file.h"

namespace cmcp::file {
namespace {

constexpr std::size_t kEntriesAtOnce = 1'000'000;

// Programs leave directories that their owner may not read, enter or change (mode 0000, Go's module
// cache). They are as deletable as the others: a sandbox could open them and delete them itself.
bool is_closed_and_ours(const struct stat& status) {
  return (status.st_mode & S_IRWXU) != S_IRWXU && status.st_uid == ::geteuid();
}

// Opens such a directory to its owner. By descriptor, so that a link that takes its name meanwhile
// leads nowhere; fchmod refuses an O_PATH descriptor, its entry in /proc does not.
bool unlock(int parent, const char* name) {
  const Fd closed(::openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status{};
  if (!closed || ::fstat(closed.get(), &status) != 0 || !is_closed_and_ours(status)) return false;
  const std::string path = "/proc/self/fd/" + std::to_string(closed.get());
  return ::chmod(path.c_str(), (status.st_mode & ALLPERMS) | S_IRWXU) == 0;
}

Fd open_directory(int parent, const char* name) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  Fd directory(::openat(parent, name, kFlags));
  if (!directory && errno == EACCES) {
    const bool unlocked = unlock(parent, name);
    errno = EACCES;
    if (unlocked) directory.reset(::openat(parent, name, kFlags));
  }
  return directory;
}

// Deletes what a directory holds, bottom up, by descriptor: a link met on the way is deleted, never
// followed.
class TreeRemoval {
 public:
  TreeRemoval(Fd top, const CancelFlag& cancel)
      : top_(::fcntl(top.get(), F_DUPFD_CLOEXEC, 0)), stack_(std::move(top)), cancel_(cancel) {}

  // The first errno met, 0 when everything is gone. What can be deleted is.
  int run() {
    open_frame("");
    while (!frames_.empty() && !cancel_.is_set()) {
      Frame& frame = frames_.back();
      if (frame.next == frame.entries.size()) {
        close_frame();
      } else {
        remove(frame.entries[frame.next++].name);
      }
    }
    return first_error_;
  }

 private:
  struct Frame {
    std::string name;  // of this directory in the one above
    std::vector<DirectoryEntry> entries;
    std::size_t next = 0;
  };

  void remove(const std::string name) {
    if (::unlinkat(stack_.current(), name.c_str(), 0) == 0 || errno == ENOENT) return;
    if (errno != EISDIR && errno != EPERM) return failed(errno);
    const int error = errno;
    if (frames_.size() > kLevels && move_up(name)) return;
    Status entered = stack_.enter(name);
    if (!entered.ok() && entered.error().os_errno() == EACCES &&
        unlock(stack_.current(), name.c_str())) {
      entered = stack_.enter(name);
    }
    if (entered.ok()) return open_frame(name);
    // An empty directory that may not be read can still be deleted.
    if (::unlinkat(stack_.current(), name.c_str(), AT_REMOVEDIR) == 0) return;
    failed(entered.error().os_errno() == ENOTDIR ? error : entered.error().os_errno());
  }

  // What lies deep becomes an entry of the top. Below a bind mount the way up (`..`) costs the
  // kernel a step for each level above, which in a chain of 100,000 directories takes minutes.
  bool move_up(const std::string& name) {
    struct stat status{};
    if (::fstatat(stack_.current(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISDIR(status.st_mode)) {
      return false;
    }
    const std::string moved = ".deleted-" + std::to_string(moved_);
    if (::renameat2(stack_.current(), name.c_str(), top_.get(), moved.c_str(), RENAME_NOREPLACE) !=
        0)
      return false;
    ++moved_;
    frames_.front().entries.push_back({moved, DT_DIR});
    return true;
  }

  void open_frame(const std::string& name) {
    struct stat status{};
    if (::fstat(stack_.current(), &status) == 0 && is_closed_and_ours(status))
      (void)::fchmod(stack_.current(), (status.st_mode & ALLPERMS) | S_IRWXU);
    Frame frame;
    frame.name = name;
    bool complete = true;
    Result<std::vector<DirectoryEntry>> entries = stack_.entries(kEntriesAtOnce, complete);
    if (entries.ok()) {
      frame.entries = std::move(*entries);
    } else {
      failed(entries.error().os_errno());
    }
    frames_.push_back(std::move(frame));
  }

  void close_frame() {
    const std::string name = frames_.back().name;
    if (frames_.size() == 1) {
      frames_.clear();
      return;
    }
    const std::size_t left = stack_.leave();
    frames_.resize(frames_.size() - left);
    // More than one: the tree was rearranged meanwhile, so the name may belong to another directory
    // now.
    if (left > 1) return failed(EBUSY);
    if (::unlinkat(stack_.current(), name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT)
      failed(errno);
  }

  void failed(int number) {
    if (first_error_ == 0) first_error_ = number;
  }

  static constexpr std::size_t kLevels = 40;  // that a DirectoryStack keeps open

  Fd top_;
  std::uint64_t moved_ = 0;
  DirectoryStack stack_;
  const CancelFlag& cancel_;
  std::vector<Frame> frames_;
  int first_error_ = 0;
};

Error not_found(std::string_view path) {
  return {ErrorCode::kNotFound, "File not found: " + shown(path), ENOENT};
}

Status remove_tree(const Place& place, std::string_view path, const CancelFlag& cancel) {
  const int directory = place.parent.get();
  const char* name = place.name.c_str();
  Fd top = open_directory(directory, name);
  int error = 0;
  if (top) {
    error = TreeRemoval(std::move(top), cancel).run();
  } else if (errno == ENOTDIR || errno == ELOOP || errno == ENOENT) {
    return Error(ErrorCode::kUnavailable, "Changed while it was being deleted");
  }
  if (cancel.is_set())
    return Error(ErrorCode::kCancelled, "Cancelled; a part of " + shown(path) + " is deleted");
  if (::unlinkat(directory, name, AT_REMOVEDIR) == 0) return {};
  if (error == 0) error = errno;
  if (error == ENOTEMPTY || error == EBUSY) {
    return Error(ErrorCode::kBusy,
                 "Cannot delete directory: " + shown(path) +
                     " (something was put into it meanwhile, or it is in use)",
                 error);
  }
  const Error cause = path_error(error, path);
  return Error(cause.code(), cause.message() + " (a part of it could not be deleted)", error);
}

}  // namespace

Status FileCore::remove(const Workspace& workspace, const DeleteRequest& request,
                        const CancelFlag& cancel) const {
  const std::string& path = request.path;
  const auto attempt = [&]() -> Status {
    CMCP_TRY(const PathName name, parse_path(path));
    Result<Place> place = workspace.resolve(path, FinalLink::kKeep);
    if (!place.ok())
      return place.error().code() == ErrorCode::kNotFound ? not_found(path) : place.take_error();
    if (place->is_root()) {
      return Error(ErrorCode::kPermissionDenied,
                   "Cannot delete directory: " + shown(path) + " is the workspace itself");
    }
    if (name.ends_in_dots) {
      return Error(
          ErrorCode::kInvalidArgument,
          "Cannot delete " + shown(path) + ": name the entry itself, without a final . or ..");
    }
    CMCP_CHECK_OK(require_writable(*place, path));
    CMCP_TRY(const Fd lock, lock_.acquire({&*place}, cancel));
    struct stat status{};
    if (::fstatat(place->parent.get(), place->name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
      return errno == ENOENT ? not_found(path) : path_error(errno, path);
    }
    if (S_ISDIR(status.st_mode)) {
      if (request.recursive) return remove_tree(*place, path, cancel);
      return Error(ErrorCode::kInvalidArgument,
                   "Cannot delete directory: " + shown(path) +
                       " (recursive: true deletes it with all it holds)");
    }
    if (name.directory_form)
      return Error(ErrorCode::kInvalidArgument, "Path is not a directory: " + shown(path));
    if (::unlinkat(place->parent.get(), place->name.c_str(), 0) == 0) return {};
    if (errno == EISDIR)
      return Error(ErrorCode::kUnavailable, "Changed while it was being deleted");
    return errno == ENOENT ? not_found(path) : path_error(errno, path);
  };
  return retry_while_swapped(attempt, path);
}

}  // namespace cmcp::file
