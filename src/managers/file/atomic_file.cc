#include "managers/file/atomic_file.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>

#include "base/scope_guard.h"

namespace cmcp::file {
namespace {

constexpr std::string_view kPrefix = ".cmcp-";
constexpr std::string_view kSuffix = ".tmp";
constexpr std::size_t kRandomBytes = 16;
constexpr time_t kStaleSeconds = 3600;

std::string temporary_name() {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::array<unsigned char, kRandomBytes> random{};
  // 16 bytes are never cut short. Should the kernel have none, the name is a fixed one: one that is
  // taken fails with EEXIST, so that nothing is ever overwritten by it.
  if (::getrandom(random.data(), random.size(), 0) < 0) random.fill(0);
  std::string name(kPrefix);
  for (const unsigned char byte : random) name.append({kHex[byte >> 4U], kHex[byte & 15U]});
  return name.append(kSuffix);
}

// Gives the nameless file `fd` the name `name`. 0, or -1 and errno.
int link_unnamed(int fd, int directory, const char* name) {
  if (::linkat(fd, "", directory, name, AT_EMPTY_PATH) == 0) return 0;
  // Before Linux 6.10 that way needs a capability; then the way over /proc.
  if (errno != ENOENT && errno != EPERM) return -1;
  const std::string self = "/proc/self/fd/" + std::to_string(fd);
  return ::linkat(AT_FDCWD, self.c_str(), directory, name, AT_SYMLINK_FOLLOW);
}

int rename_new(int directory, const char* from, const char* to) {
  if (::renameat2(directory, from, directory, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return -1;
  // A file system without the flag: a link fails on an existing name too.
  if (::linkat(directory, from, directory, to, 0) != 0) return -1;
  return ::unlinkat(directory, from, 0);
}

void sync_directory(int directory) {
  const Fd readable(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (readable) ::fsync(readable.get());
}

class Publication {
 public:
  Publication(const Place& place, const NewFile& file, std::string_view path)
      : place_(place), file_(file), path_(path), directory_(place.parent.get()) {}

  Status run() {
    Fd fd;
    if (file_.allow_unnamed)
      fd.reset(::openat(directory_, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0666));
    if (fd) {
      CMCP_CHECK_OK(fill(fd.get()));
      return publish_unnamed(fd.get());
    }
    return run_named();
  }

 private:
  Status run_named() {
    const std::string temporary = temporary_name();
    const Fd fd(::openat(directory_, temporary.c_str(),
                         O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (!fd) return failed();
    ScopeGuard remove([&] { ::unlinkat(directory_, temporary.c_str(), 0); });
    CMCP_CHECK_OK(fill(fd.get()));
    CMCP_CHECK_OK(take_place(temporary));
    remove.dismiss();
    return {};
  }

  Status fill(int fd) {
    CMCP_CHECK_OK(file_.fill(fd));
    if (file_.mode && ::fchmod(fd, *file_.mode) != 0) return failed();
    if (::fsync(fd) != 0) return failed();
    return {};
  }

  Status publish_unnamed(int fd) {
    if (file_.publish == Publish::kNew) {
      if (link_unnamed(fd, directory_, place_.name.c_str()) != 0) return failed();
      sync_directory(directory_);
      return {};
    }
    // A link cannot replace a name, a rename can; the temporary name lives for one system call.
    const std::string temporary = temporary_name();
    if (link_unnamed(fd, directory_, temporary.c_str()) != 0) return failed();
    ScopeGuard remove([&] { ::unlinkat(directory_, temporary.c_str(), 0); });
    CMCP_CHECK_OK(take_place(temporary));
    remove.dismiss();
    return {};
  }

  Status take_place(const std::string& temporary) {
    const int done =
        file_.publish == Publish::kNew
            ? rename_new(directory_, temporary.c_str(), place_.name.c_str())
            : ::renameat(directory_, temporary.c_str(), directory_, place_.name.c_str());
    if (done != 0) return failed();
    sync_directory(directory_);
    return {};
  }

  Error failed() const {
    const int number = errno;
    if (number == EEXIST)
      return {ErrorCode::kAlreadyExists, "Already exists: " + shown(path_), number};
    if (number == EISDIR)
      return {ErrorCode::kInvalidArgument, "Path is a directory: " + shown(path_), number};
    return path_error(number, path_);
  }

  const Place& place_;
  const NewFile& file_;
  std::string_view path_;
  int directory_;
};

}  // namespace

Status publish_file(const Place& place, const NewFile& file, std::string_view path) {
  return Publication(place, file, path).run();
}

Status write_all(int fd, std::string_view bytes, std::string_view path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return path_error(errno, path);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

bool is_temporary_name(std::string_view name) {
  if (name.size() != kPrefix.size() + 2 * kRandomBytes + kSuffix.size()) return false;
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return false;
  return name.substr(kPrefix.size(), 2 * kRandomBytes).find_first_not_of("0123456789abcdef") ==
         std::string_view::npos;
}

void remove_if_stale(int directory, const char* name) {
  if (!is_temporary_name(name)) return;
  struct stat status{};
  if (::fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode))
    return;
  // ctime: the modification time can be set by whoever owns the file.
  if (::time(nullptr) - status.st_ctim.tv_sec > kStaleSeconds) ::unlinkat(directory, name, 0);
}

}  // namespace cmcp::file
