#include "managers/file/directory_stack.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/scope_guard.h"

namespace cmcp::file {
namespace {

constexpr std::size_t kOpenLevels = 48;
constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;

Error os_error(int number) {
  return {number == EACCES ? ErrorCode::kPermissionDenied : ErrorCode::kIo,
          ::strerrordesc_np(number), number};
}

}  // namespace

DirectoryStack::DirectoryStack(Fd root) {
  Result<Level> level = level_of(std::move(root));
  // fstat of an open descriptor does not fail; an empty level only makes every call on it fail.
  levels_.push_back(level.ok() ? std::move(*level) : Level{});
}

Result<DirectoryStack::Level> DirectoryStack::level_of(Fd fd) {
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) return os_error(errno);
  return Level{std::move(fd), status.st_dev, status.st_ino};
}

Status DirectoryStack::enter(const std::string& name) {
  Fd fd(::openat(current(), name.c_str(), kFlags));
  if (!fd) return os_error(errno);
  return enter(std::move(fd));
}

Status DirectoryStack::enter(Fd directory) {
  CMCP_TRY(Level level, level_of(std::move(directory)));
  if (levels_.size() > kOpenLevels) levels_.back().fd.reset();
  levels_.push_back(std::move(level));
  return {};
}

std::size_t DirectoryStack::leave() {
  Fd above;
  if (!levels_[levels_.size() - 2].fd) above.reset(::openat(current(), "..", kFlags));
  levels_.pop_back();
  std::size_t left = 1;
  if (levels_.back().fd) return left;
  if (above) {
    Result<Level> level = level_of(std::move(above));
    if (level.ok() && level->device == levels_.back().device &&
        level->inode == levels_.back().inode) {
      levels_.back() = std::move(*level);
      return left;
    }
  }
  while (!levels_.back().fd) {
    levels_.pop_back();
    ++left;
  }
  return left;
}

Result<std::vector<DirectoryEntry>> DirectoryStack::entries(std::size_t limit,
                                                            bool& complete) const {
  Fd fd(::openat(current(), ".", kFlags));
  // A directory that may be read but not entered.
  if (!fd) fd.reset(::fcntl(current(), F_DUPFD_CLOEXEC, 0));
  if (!fd) return os_error(errno);
  DIR* stream = ::fdopendir(fd.get());
  if (stream == nullptr) return os_error(errno);
  (void)fd.release();
  const ScopeGuard close([&] { ::closedir(stream); });
  std::vector<DirectoryEntry> found;
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(stream);
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (found.size() >= limit) {
      complete = false;
      break;
    }
    found.push_back({std::string(name), entry->d_type});
  }
  if (errno != 0) return os_error(errno);
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return found;
}

}  // namespace cmcp::file
