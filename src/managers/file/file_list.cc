#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>

#include "managers/file/atomic_file.h"
#include "managers/file/directory_stack.h"
#include "managers/file/file_core.h"
#include "managers/file/glob.h"

namespace cmcp::file {
namespace {

// A walk ends here: what a client can use is far less.
constexpr std::size_t kMaxVisited = 1'000'000;
// Nor does it go deeper: no path of the file tools is longer than 4095 bytes, and the way up costs
// the kernel a step for each level above.
constexpr std::size_t kMaxPrefix = 16'384;
constexpr std::array<std::string_view, 4> kSkipped = {".git", "node_modules", "__pycache__",
                                                      ".venv"};

double seconds(const timespec& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

const char* type_name(mode_t mode) {
  if (S_ISREG(mode)) return "file";
  if (S_ISDIR(mode)) return "directory";
  if (S_ISLNK(mode)) return "symlink";
  if (S_ISFIFO(mode)) return "fifo";
  if (S_ISSOCK(mode)) return "socket";
  return "device";
}

void fill_from(ListEntry& entry, const struct stat& status) {
  entry.type = type_name(status.st_mode);
  entry.is_directory = S_ISDIR(status.st_mode);
  entry.modified = seconds(status.st_mtim);
  entry.mode = fmt::format("{:04o}", static_cast<unsigned>(status.st_mode & 07777U));
  if (S_ISREG(status.st_mode)) entry.size = static_cast<std::uint64_t>(status.st_size);
}

class Listing {
 public:
  Listing(const Workspace& workspace, const ListRequest& request, const CancelFlag& cancel)
      : workspace_(workspace), request_(request), cancel_(cancel) {
    if (request.pattern && !request.pattern->empty()) glob_.emplace(*request.pattern);
    for (const WorkspaceRoot& root : workspace.roots()) may_clean_ = may_clean_ && !root.read_only;
  }

  Result<ListResult> run() {
    Result<Place> place = workspace_.resolve(request_.path, FinalLink::kFollow);
    if (!place.ok()) return place.take_error();
    prefix_ = place->path.empty() ? "" : place->path + "/";
    base_length_ = prefix_.size();
    if (place->is_name_list()) {
      names_only();
    } else {
      CMCP_CHECK_OK(walk(*place));
    }
    result_.truncated = cut_ || cut_anywhere_ || result_.total > result_.entries.size();
    return std::move(result_);
  }

 private:
  struct Frame {
    std::vector<DirectoryEntry> entries;
    std::size_t next = 0;
    std::size_t prefix_length = 0;  // of prefix_ while the walk is in this directory
  };

  // The workspaces that lie at /workspace/NAME, where the listing begins at /workspace.
  bool at_top() const { return prefix_.empty(); }

  void names_only() {
    std::vector<DirectoryEntry> entries;
    add_named_roots(entries);
    DirectoryStack* none = nullptr;
    for (const DirectoryEntry& entry : entries) {
      visit(entry, none);
      if (request_.recursive) list_below(*workspace_.named(entry.name));
    }
  }

  void list_below(const WorkspaceRoot& root) {
    Fd fd(::openat(root.directory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd) return;
    DirectoryStack stack(std::move(fd));
    prefix_ = root.name + "/";
    descend(stack);
    prefix_.clear();
  }

  Status walk(const Place& place) {
    Result<Fd> fd = workspace_.open_directory(place);
    if (!fd.ok()) {
      if (fd.error().os_errno() == ENOTDIR || fd.error().os_errno() == ELOOP) {
        return Error(ErrorCode::kInvalidArgument,
                     "Path is not a directory: " + shown(request_.path));
      }
      return path_error(fd.error().os_errno(), request_.path);
    }
    DirectoryStack stack(std::move(*fd));
    descend(stack);
    if (cancel_.is_set()) return Error(ErrorCode::kCancelled, "Cancelled");
    return {};
  }

  // The walk below the stack's current directory, whose path is prefix_. No recursion: trees may be
  // deep.
  void descend(DirectoryStack& stack) {
    std::vector<Frame> frames;
    open_frame(stack, frames);
    while (!frames.empty()) {
      Frame& frame = frames.back();
      prefix_.resize(frame.prefix_length);
      if (frame.next >= frame.entries.size() || cut_ || cancel_.is_set()) {
        leave(stack, frames);
        continue;
      }
      const DirectoryEntry entry = frame.entries[frame.next++];
      if (++visited_ > kMaxVisited) cut_ = true;
      if (!visit(entry, &stack)) continue;
      if (prefix_.size() > kMaxPrefix) {
        cut_anywhere_ = true;
        if (last_added_ != nullptr) last_added_->error = "Cannot be listed: it lies too deep";
      } else if (enter(entry, stack)) {
        prefix_ += entry.name;
        prefix_ += '/';
        open_frame(stack, frames);
      }
    }
  }

  void leave(DirectoryStack& stack, std::vector<Frame>& frames) {
    if (frames.size() == 1) {
      frames.clear();
      return;
    }
    const std::size_t left = stack.leave();
    // More than one: a directory was moved while it was walked; the rest of it is not told.
    if (left > 1) cut_anywhere_ = true;
    frames.resize(frames.size() - left);
  }

  void open_frame(const DirectoryStack& stack, std::vector<Frame>& frames) {
    Frame frame;
    frame.prefix_length = prefix_.size();
    bool complete = true;
    Result<std::vector<DirectoryEntry>> entries = stack.entries(kMaxVisited, complete);
    if (entries.ok()) frame.entries = std::move(*entries);
    if (!complete) cut_ = true;
    if (at_top()) add_named_roots(frame.entries);
    frames.push_back(std::move(frame));
  }

  void add_named_roots(std::vector<DirectoryEntry>& entries) const {
    for (const WorkspaceRoot& root : workspace_.roots()) {
      if (root.name.empty()) continue;
      std::erase_if(entries, [&](const DirectoryEntry& entry) { return entry.name == root.name; });
      entries.push_back({root.name, DT_DIR});
    }
    std::sort(entries.begin(), entries.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
  }

  const WorkspaceRoot* named_root(const DirectoryEntry& entry) const {
    return at_top() ? workspace_.named(entry.name) : nullptr;
  }

  // Counts and describes an entry; true when the walk goes into it.
  bool visit(const DirectoryEntry& entry, DirectoryStack* stack) {
    if (is_temporary_name(entry.name)) {
      if (stack != nullptr && may_clean_) remove_if_stale(stack->current(), entry.name.c_str());
      return false;
    }
    const bool hidden = entry.name.starts_with('.');
    if (hidden && !request_.include_hidden) return false;
    const bool directory = is_directory(entry, stack);
    if (request_.recursive && directory &&
        std::find(kSkipped.begin(), kSkipped.end(), entry.name) != kSkipped.end()) {
      return false;
    }
    last_added_ = nullptr;
    const std::string relative =
        prefix_.substr(std::min(base_length_, prefix_.size())) + entry.name;
    if (!glob_ || glob_->matches(entry.name, relative)) {
      ++result_.total;
      if (result_.entries.size() <
          static_cast<std::size_t>(std::max<std::int64_t>(request_.limit, 0))) {
        result_.entries.push_back(describe(entry, stack));
        last_added_ = &result_.entries.back();
      }
    }
    return request_.recursive && directory;
  }

  bool is_directory(const DirectoryEntry& entry, DirectoryStack* stack) const {
    if (entry.type != DT_UNKNOWN || stack == nullptr) return entry.type == DT_DIR;
    struct stat status{};
    return ::fstatat(stack->current(), entry.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISDIR(status.st_mode);
  }

  bool enter(const DirectoryEntry& entry, DirectoryStack& stack) {
    Status entered;
    if (const WorkspaceRoot* root = named_root(entry); root != nullptr) {
      Fd fd(::openat(root->directory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      entered = fd ? stack.enter(std::move(fd)) : Status(path_error(errno, entry.name));
    } else {
      entered = stack.enter(entry.name);
    }
    if (entered.ok()) return true;
    // A directory that vanished, or became a link, is simply no directory any more.
    const int number = entered.error().os_errno();
    if (last_added_ != nullptr && number != ENOENT && number != ELOOP && number != ENOTDIR) {
      last_added_->error = std::string("Cannot be listed: ") + ::strerrordesc_np(number);
    }
    return false;
  }

  ListEntry describe(const DirectoryEntry& found, DirectoryStack* stack) const {
    ListEntry entry;
    entry.name = escape_name(found.name);
    entry.path = escape_name(prefix_ + found.name);
    struct stat status{};
    int failed = 0;
    if (const WorkspaceRoot* root = named_root(found); root != nullptr) {
      failed = ::fstat(root->directory.get(), &status);
    } else {
      failed = ::fstatat(stack->current(), found.name.c_str(), &status, AT_SYMLINK_NOFOLLOW);
    }
    if (failed != 0) {
      entry.type = "unreadable";
      entry.is_directory = found.type == DT_DIR;
      entry.error = std::string("Cannot be looked at: ") + ::strerrordesc_np(errno);
      return entry;
    }
    fill_from(entry, status);
    if (S_ISLNK(status.st_mode)) describe_link(found, stack->current(), entry);
    return entry;
  }

  // A link is shown with what it names, if that lies inside; outside nothing is looked at.
  void describe_link(const DirectoryEntry& found, int directory, ListEntry& entry) const {
    std::array<char, PATH_MAX> text{};
    const ssize_t length = ::readlinkat(directory, found.name.c_str(), text.data(), text.size());
    if (length >= 0)
      entry.symlink_target = escape_name({text.data(), static_cast<std::size_t>(length)});
    Result<Place> target = workspace_.resolve(prefix_ + found.name, FinalLink::kFollow);
    if (!target.ok()) {
      const ErrorCode code = target.error().code();
      if (code == ErrorCode::kNotFound || target.error().os_errno() == ELOOP) {
        entry.type = "broken";
        entry.error = "The link leads nowhere";
      } else if (code == ErrorCode::kPermissionDenied) {
        entry.error = "The link cannot be followed from here";
      }
      return;
    }
    if (target->is_root()) {
      entry.is_directory = true;
      return;
    }
    struct stat status{};
    if (::fstatat(target->parent.get(), target->name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
      entry.type = "broken";
      entry.error = "The link leads nowhere";
      return;
    }
    entry.is_directory = S_ISDIR(status.st_mode);
    if (S_ISREG(status.st_mode)) entry.size = static_cast<std::uint64_t>(status.st_size);
  }

  const Workspace& workspace_;
  const ListRequest& request_;
  const CancelFlag& cancel_;
  std::optional<Glob> glob_;
  std::string prefix_;  // path of the current directory from /workspace, with a slash at its end
                        // unless empty
  std::size_t base_length_ = 0;  // of the prefix where the listing begins
  std::size_t visited_ = 0;
  bool may_clean_ = true;
  bool cut_ = false;
  bool cut_anywhere_ = false;
  ListEntry* last_added_ = nullptr;
  ListResult result_;
};

}  // namespace

Result<ListResult> FileCore::list(const Workspace& workspace, const ListRequest& request,
                                  const CancelFlag& cancel) const {
  return Listing(workspace, request, cancel).run();
}

}  // namespace cmcp::file
