#include "os/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>

#include "os/error.h"

namespace cmcp::os {

Result<Fd> open_at(int dir, const std::string& path, int flags, mode_t mode) {
  const int fd = ::openat(dir, path.c_str(), flags | O_CLOEXEC, mode);
  if (fd < 0) return last_error("openat", path);
  return Fd(fd);
}

Result<Fd> openat2(int dir, const std::string& path, std::uint64_t flags, std::uint64_t resolve,
                   mode_t mode) {
  open_how how{};
  how.flags = flags | O_CLOEXEC;
  how.mode = mode;
  how.resolve = resolve;
  // EAGAIN means that the kernel saw a rename race while it checked ".."; it may be tried again.
  for (int attempt = 0; attempt < 16; ++attempt) {
    const long fd = ::syscall(SYS_openat2, dir, path.c_str(), &how, sizeof(how));
    if (fd >= 0) return Fd(static_cast<int>(fd));
    if (errno != EAGAIN && errno != EINTR) break;
  }
  return last_error("openat2", path);
}

Result<std::string> read_all(int fd, std::size_t limit) {
  std::string content;
  std::array<char, 16384> buffer;
  while (true) {
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      return last_error("read");
    }
    if (n == 0) return content;
    if (content.size() + static_cast<std::size_t>(n) > limit) {
      return Error(ErrorCode::kLimitExceeded,
                   "read: more than " + std::to_string(limit) + " bytes");
    }
    content.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

Result<std::string> read_file_at(int dir, const std::string& path, std::size_t limit) {
  CMCP_TRY(Fd fd, open_at(dir, path, O_RDONLY));
  auto content = read_all(fd.get(), limit);
  if (!content.ok()) return content.error().with_context(path);
  return content;
}

Result<std::string> read_file(const std::string& path, std::size_t limit) {
  return read_file_at(AT_FDCWD, path, limit);
}

Status write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      return last_error("write");
    }
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Status write_existing_at(int dir, const std::string& path, std::string_view bytes) {
  CMCP_TRY(Fd fd, open_at(dir, path, O_WRONLY));
  if (::write(fd.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
    return last_error("write", path);
  }
  return {};
}

Result<std::optional<std::string>> read_some(int fd, std::size_t limit) {
  std::string buffer(limit, '\0');
  while (true) {
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n >= 0) {
      buffer.resize(static_cast<std::size_t>(n));
      return std::optional<std::string>(std::move(buffer));
    }
    if (errno == EAGAIN) return std::optional<std::string>();
    if (errno != EINTR) return last_error("read");
  }
}

Result<Pipe> make_pipe(int flags) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), flags | O_CLOEXEC) != 0) return last_error("pipe2");
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

Status set_nonblocking(int fd, bool on) {
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0) return last_error("fcntl", "F_GETFL");
  const int wanted = on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK;
  if (::fcntl(fd, F_SETFL, wanted) != 0) return last_error("fcntl", "F_SETFL");
  return {};
}

Result<Fd> duplicate(int fd, int at_least) {
  const int copy = ::fcntl(fd, F_DUPFD_CLOEXEC, at_least);
  if (copy < 0) return last_error("fcntl", "F_DUPFD_CLOEXEC");
  return Fd(copy);
}

Result<struct stat> stat_of(int fd) {
  struct stat info{};
  if (::fstatat(fd, "", &info, AT_EMPTY_PATH) != 0) return last_error("fstat");
  return info;
}

Result<std::vector<std::string>> list_directory(int fd, std::size_t limit) {
  // A descriptor of its own: reading must not move the caller's position, and O_PATH ones cannot be
  // read.
  CMCP_TRY(Fd own, open_at(fd, ".", O_RDONLY | O_DIRECTORY));
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(::fdopendir(own.get()),
                                                [](DIR* d) { return ::closedir(d); });
  if (!dir) return last_error("fdopendir");
  own.release();
  std::vector<std::string> names;
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(dir.get());
    if (entry == nullptr) {
      if (errno != 0) return last_error("readdir");
      return names;
    }
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (names.size() == limit)
      return Error(ErrorCode::kLimitExceeded, "readdir: more entries than are read");
    names.emplace_back(name);
  }
}

Result<std::size_t> count_open_descriptors() {
  CMCP_TRY(Fd dir, open_at(AT_FDCWD, "/proc/self/fd", O_RDONLY | O_DIRECTORY));
  CMCP_TRY(auto names, list_directory(dir.get()));
  return names.size() - 2;  // `dir` and the descriptor inside list_directory
}

}  // namespace cmcp::os
