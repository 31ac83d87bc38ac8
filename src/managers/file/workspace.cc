#include "managers/file/workspace.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <deque>
#include <set>

#include "base/strings.h"

namespace cmcp::file {
namespace {

constexpr int kMaxLinks = 40;
constexpr int kPathFlags = O_PATH | O_CLOEXEC | O_NOFOLLOW;

int open_beneath(int directory, const char* path, int flags) {
  open_how how{};
  how.flags = static_cast<__u64>(flags);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS;
  return static_cast<int>(::syscall(SYS_openat2, directory, path, &how, sizeof how));
}

// The directory `parts` below `root`, no link on the way. -1 and errno on failure.
int open_physical(const WorkspaceRoot& root, const std::vector<std::string>& parts, WalkMode mode) {
  if (parts.empty()) return ::fcntl(root.directory.get(), F_DUPFD_CLOEXEC, 0);
  if (mode == WalkMode::kOpenat2) {
    return open_beneath(root.directory.get(), join(parts, "/").c_str(),
                        O_PATH | O_CLOEXEC | O_DIRECTORY);
  }
  Fd here;
  int base = root.directory.get();
  for (const std::string& part : parts) {
    here.reset(::openat(base, part.c_str(), kPathFlags | O_DIRECTORY));
    if (!here) return -1;
    base = here.get();
  }
  return here.release();
}

// One walk through links and "..", a component at a time.
class Walk {
 public:
  Walk(const Workspace& workspace, std::string_view path, FinalLink final_link, Parents parents)
      : workspace_(workspace), path_(path), final_link_(final_link), parents_(parents) {}

  Result<Place> run(const std::vector<std::string>& parts) {
    pending_.assign(parts.begin(), parts.end());
    CMCP_CHECK_OK(to_start());
    while (!pending_.empty()) {
      const std::string part = std::move(pending_.front());
      pending_.pop_front();
      if (part == "..") {
        CMCP_CHECK_OK(climb());
      } else if (const WorkspaceRoot* root = root_here(part); root != nullptr) {
        root_ = root;
        CMCP_CHECK_OK(reopen());
      } else if (root_ == nullptr) {
        return no_such_root().take_error();
      } else {
        CMCP_TRY(const bool arrived, step(part));
        if (arrived) return place(part);
      }
    }
    return current_directory();
  }

 private:
  Status to_start() {
    done_.clear();
    root_ = workspace_.base();
    return reopen();
  }

  Status reopen() {
    here_.reset();
    if (root_ == nullptr) return {};
    here_.reset(open_physical(*root_, done_, workspace_.walk_mode()));
    if (!here_) return failed(errno);
    return {};
  }

  // The named root that lies at `part` of where the walk stands.
  const WorkspaceRoot* root_here(const std::string& part) const {
    return root_ == workspace_.base() && done_.empty() ? workspace_.named(part) : nullptr;
  }

  Status climb() {
    if (!done_.empty()) {
      done_.pop_back();
    } else if (root_ != workspace_.base()) {
      root_ = workspace_.base();
    } else {
      return traversal_error(path_);
    }
    return reopen();
  }

  Status no_such_root() const {
    std::vector<std::string> names;
    for (const WorkspaceRoot& root : workspace_.roots()) names.push_back(root.name);
    return Error(ErrorCode::kNotFound,
                 "Path not found: " + shown(path_) +
                     " (a path begins with the name of a workspace: " + join(names, ", ") + ")");
  }

  // Takes one component; true when it is the final one and the walk has arrived.
  Result<bool> step(const std::string& part) {
    const bool last = pending_.empty();
    if (last && final_link_ == FinalLink::kKeep) return true;
    Fd entry(::openat(here_.get(), part.c_str(), kPathFlags));
    if (!entry && errno == ENOENT) {
      if (last) return true;
      if (parents_ == Parents::kMustExist) return failed(ENOENT);
      if (root_->read_only) return failed(EROFS);
      if (::mkdirat(here_.get(), part.c_str(), 0777) != 0 && errno != EEXIST) return failed(errno);
      entry.reset(::openat(here_.get(), part.c_str(), kPathFlags));
    }
    if (!entry) return failed(errno);
    struct stat status{};
    if (::fstat(entry.get(), &status) != 0) return failed(errno);
    if (S_ISLNK(status.st_mode)) {
      CMCP_CHECK_OK(follow(entry.get()));
      return false;
    }
    if (last) return true;
    if (!S_ISDIR(status.st_mode)) return failed(ENOTDIR);
    here_ = std::move(entry);
    done_.push_back(part);
    return false;
  }

  Status follow(int link) {
    if (++links_ > kMaxLinks) return failed(ELOOP);
    std::array<char, PATH_MAX> text{};
    const ssize_t length = ::readlinkat(link, "", text.data(), text.size());
    if (length < 0) return failed(errno);
    const LinkTarget target = parse_link({text.data(), static_cast<std::size_t>(length)});
    if (target.outside) return traversal_error(path_);
    pending_.insert(pending_.begin(), target.parts.begin(), target.parts.end());
    if (target.absolute) return to_start();
    return {};
  }

  Result<Place> place(const std::string& name) {
    Place place;
    place.path = prefix();
    place.path += (place.path.empty() ? "" : "/") + name;
    place.name = name;
    place.root = root_;
    place.parent = std::move(here_);
    return place;
  }

  // The walk ended in a directory it already stands in: a root, "x/..", or a link to ".".
  Result<Place> current_directory() {
    Place place;
    place.root = root_;
    place.directory_form = true;
    if (root_ == nullptr) return place;
    place.path = prefix();
    if (done_.empty()) {
      place.parent = std::move(here_);
      return place;
    }
    place.name = done_.back();
    done_.pop_back();
    CMCP_CHECK_OK(reopen());
    place.parent = std::move(here_);
    return place;
  }

  std::string prefix() const {
    std::string text = root_ == nullptr ? "" : root_->name;
    if (!done_.empty()) text += (text.empty() ? "" : "/") + join(done_, "/");
    return text;
  }

  Error failed(int error_number) const { return path_error(error_number, path_); }

  const Workspace& workspace_;
  std::string_view path_;
  FinalLink final_link_;
  Parents parents_;
  const WorkspaceRoot* root_ = nullptr;
  std::deque<std::string> pending_;
  std::vector<std::string> done_;  // components of here_ below root_, all of them real directories
  Fd here_;
  int links_ = 0;
};

enum class Quick { kDone, kWalk };

// The usual case in two system calls: no "..", no link on the way. kWalk when only the step-by-step
// walk can tell.
Quick resolve_quickly(const WorkspaceRoot& root, std::vector<std::string> parts,
                      FinalLink final_link, Place& place) {
  if (parts.empty()) return Quick::kWalk;
  if (std::find(parts.begin(), parts.end(), "..") != parts.end()) return Quick::kWalk;
  std::string path = join(parts, "/");
  std::string name = std::move(parts.back());
  parts.pop_back();
  Fd parent(open_physical(root, parts, WalkMode::kOpenat2));
  if (!parent) return Quick::kWalk;
  if (final_link == FinalLink::kFollow) {
    std::array<char, 1> text{};
    const ssize_t length = ::readlinkat(parent.get(), name.c_str(), text.data(), text.size());
    if (length >= 0 || (errno != EINVAL && errno != ENOENT)) return Quick::kWalk;
  }
  place.parent = std::move(parent);
  place.name = std::move(name);
  place.path = root.name.empty() ? std::move(path) : root.name + "/" + path;
  place.root = &root;
  return Quick::kDone;
}

bool kernel_has_openat2(int directory) {
  const Fd probe(open_beneath(directory, ".", O_PATH | O_CLOEXEC | O_DIRECTORY));
  return probe.valid();
}

}  // namespace

Error traversal_error(std::string_view path) {
  return {ErrorCode::kPermissionDenied,
          "Path traversal attempt detected: " + shown(path) +
              " leads outside the workspace; give a path inside it, such as notes/a.txt"};
}

Error path_error(int error_number, std::string_view path) {
  const std::string name = shown(path);
  const auto make = [&](ErrorCode code, const std::string& text) {
    return Error(code, text, error_number);
  };
  switch (error_number) {
    case ENOENT:
      return make(ErrorCode::kNotFound, "Path not found: " + name);
    case ENOTDIR:
      return make(ErrorCode::kNotFound,
                  "Path not found: " + name + " (a file stands where a directory is needed)");
    case EACCES:
    case EPERM:
      return make(ErrorCode::kPermissionDenied, "Permission denied: " + name);
    case EROFS:
      return make(ErrorCode::kPermissionDenied,
                  "Read-only workspace: " + name +
                      " cannot be changed; write to another place, or ask the operator to give it "
                      "without :ro (or WORKSPACE_READONLY)");
    case ELOOP:
      return make(ErrorCode::kIo, "Too many symbolic links: " + name);
    case ENAMETOOLONG:
      return make(ErrorCode::kInvalidArgument, "Path too long: " + name);
    case ENOSPC:
    case EDQUOT:
      return make(ErrorCode::kLimitExceeded,
                  "No space left in the workspace for " + name + "; delete files first");
    case EXDEV:
      return traversal_error(path);
    default:
      return make(ErrorCode::kIo,
                  std::string("Cannot access ") + name + ": " + ::strerrordesc_np(error_number));
  }
}

Result<Workspace> Workspace::open(const HostPath& directory, bool read_only) {
  Fd fd(::open(directory.value.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!fd) {
    return Error(errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
                 "workspace directory " + directory.value + ": " + ::strerrordesc_np(errno), errno);
  }
  std::vector<WorkspaceRoot> roots;
  roots.push_back({"", std::move(fd), read_only});
  return from_roots(std::move(roots));
}

Result<Workspace> Workspace::from_roots(std::vector<WorkspaceRoot> roots) {
  if (roots.empty())
    return Error(ErrorCode::kInvalidArgument, "a workspace needs at least one directory");
  std::set<std::string> names;
  for (const WorkspaceRoot& root : roots) {
    const bool bad = root.name == "." || root.name == ".." || root.name.size() > kMaxNameBytes ||
                     root.name.find('/') != std::string::npos ||
                     root.name.find('\0') != std::string::npos;
    if (bad || !names.insert(root.name).second) {
      return Error(ErrorCode::kInvalidArgument,
                   "workspace name '" + shown(root.name) +
                       "': each of several needs its own name without '/'");
    }
  }
  Workspace workspace(std::move(roots));
  if (!kernel_has_openat2(workspace.roots_.front().directory.get()))
    workspace.mode_ = WalkMode::kComponentWalk;
  return workspace;
}

const WorkspaceRoot* Workspace::base() const {
  for (const WorkspaceRoot& root : roots_) {
    if (root.name.empty()) return &root;
  }
  return nullptr;
}

const WorkspaceRoot* Workspace::named(std::string_view name) const {
  for (const WorkspaceRoot& root : roots_) {
    if (!root.name.empty() && root.name == name) return &root;
  }
  return nullptr;
}

bool Workspace::read_only() const {
  return std::all_of(roots_.begin(), roots_.end(),
                     [](const WorkspaceRoot& root) { return root.read_only; });
}

Result<Place> Workspace::resolve(std::string_view path, FinalLink final_link,
                                 Parents parents) const {
  CMCP_TRY(const PathName name, parse_path(path));
  const std::vector<std::string>& parts = name.parts;
  if (mode_ == WalkMode::kOpenat2) {
    Place place;
    place.directory_form = name.directory_form;
    Quick outcome = Quick::kWalk;
    const WorkspaceRoot* root = parts.empty() ? nullptr : named(parts.front());
    if (root != nullptr) {
      outcome = resolve_quickly(*root, {parts.begin() + 1, parts.end()}, final_link, place);
    } else if (base() != nullptr) {
      outcome = resolve_quickly(*base(), parts, final_link, place);
    }
    if (outcome == Quick::kDone) return place;
  }
  Result<Place> walked = Walk(*this, path, final_link, parents).run(parts);
  if (!walked.ok()) {
    // What does not exist cannot be walked through, but a path that climbs out as text is an escape
    // all the same.
    if (walked.error().code() == ErrorCode::kNotFound && name.climbs_out())
      return traversal_error(path);
    return walked;
  }
  walked->directory_form = walked->directory_form || name.directory_form;
  return walked;
}

Result<Fd> Workspace::open_directory(const Place& place) const {
  const char* name = place.is_root() ? "." : place.name.c_str();
  Fd fd(::openat(place.parent.get(), name,
                 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (fd) return fd;
  if (errno == ENOTDIR || errno == ELOOP) {
    return Error(ErrorCode::kInvalidArgument, "Path is not a directory: " + shown(place.path),
                 errno);
  }
  return path_error(errno, place.path);
}

Result<std::string> Workspace::check_directory(std::string_view working_dir) const {
  const auto refused = [&](const Error& error, const std::string& text) {
    return Error(error.code(), text + ": " + shown(working_dir), error.os_errno());
  };
  Result<Place> place = resolve(working_dir, FinalLink::kFollow);
  if (!place.ok()) {
    if (place.error().code() != ErrorCode::kNotFound) return place.take_error();
    return refused(place.error(), "Working directory not found");
  }
  if (place->is_name_list()) return std::string();
  // O_PATH: a directory that may be entered but not read is a working directory too.
  const char* name = place->is_root() ? "." : place->name.c_str();
  const Fd fd(::openat(place->parent.get(), name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (fd) return place->path;
  const int number = errno;
  const Error error = path_error(number, working_dir);
  if (number == ENOENT) return refused(error, "Working directory not found");
  if (number == ENOTDIR || number == ELOOP)
    return refused(error, "Working directory is not a directory");
  return error;
}

}  // namespace cmcp::file
