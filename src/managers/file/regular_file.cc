#include "managers/file/regular_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace cmcp::file {
namespace {

Error not_regular(mode_t mode, std::string_view path) {
  if (S_ISLNK(mode))
    return {ErrorCode::kUnavailable, "Changed while it was being opened: " + shown(path)};
  if (S_ISDIR(mode)) return {ErrorCode::kInvalidArgument, "Path is a directory: " + shown(path)};
  return {ErrorCode::kInvalidArgument,
          "Not a regular file: " + shown(path) + " is " + kind_name(mode)};
}

Error open_failed(int error_number, std::string_view path) {
  if (error_number == ENOENT)
    return {ErrorCode::kNotFound, "File not found: " + shown(path), error_number};
  if (error_number == ELOOP) return not_regular(S_IFLNK, path);
  if (error_number == ENXIO) return not_regular(S_IFSOCK, path);
  return path_error(error_number, path);
}

}  // namespace

const char* kind_name(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISLNK(mode)) return "a symbolic link";
  if (S_ISFIFO(mode)) return "a named pipe";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  return "a file";
}

Result<RegularFile> open_regular(const Place& place, std::string_view path) {
  if (place.is_root()) return not_regular(S_IFDIR, path);
  const int directory = place.parent.get();
  const char* name = place.name.c_str();
  RegularFile file;
  // Looked at first, because opening alone can already wake a FIFO's writer or start a device; what
  // counts is the look at the opened descriptor below.
  if (::fstatat(directory, name, &file.status, AT_SYMLINK_NOFOLLOW) != 0)
    return open_failed(errno, path);
  if (!S_ISREG(file.status.st_mode)) return not_regular(file.status.st_mode, path);
  file.fd.reset(
      ::openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file.fd) return open_failed(errno, path);
  if (::fstat(file.fd.get(), &file.status) != 0) return path_error(errno, path);
  if (!S_ISREG(file.status.st_mode)) return not_regular(file.status.st_mode, path);
  if (place.directory_form) {
    return Error(ErrorCode::kInvalidArgument,
                 "Path is not a directory: " + shown(path) + " (leave the final / out)");
  }
  return file;
}

std::string size_text(std::uint64_t bytes, Bytes limit) {
  constexpr std::uint64_t kMebi = 1024 * 1024;
  return std::to_string(bytes) + " bytes (maximum " + std::to_string(limit.count / kMebi) + " MB)";
}

Result<std::string> read_all(const RegularFile& file, Bytes limit, std::string_view path,
                             const CancelFlag& cancel) {
  const auto too_large = [&](std::uint64_t size) {
    return Error(ErrorCode::kLimitExceeded, "File too large: " + size_text(size, limit) + ": " +
                                                shown(path) + "; read parts of it with a command");
  };
  const auto size = static_cast<std::uint64_t>(file.status.st_size);
  if (size > limit.count) return too_large(size);
  constexpr std::size_t kChunk = 1U << 20U;
  std::string content;
  for (;;) {
    if (cancel.is_set()) return Error(ErrorCode::kCancelled, "Cancelled");
    const std::size_t filled = content.size();
    const std::size_t expected = size > filled ? static_cast<std::size_t>(size - filled) + 1 : 4096;
    content.resize(filled + std::min(kChunk, expected));
    ssize_t got = 0;
    do {
      got = ::read(file.fd.get(), content.data() + filled, content.size() - filled);
    } while (got < 0 && errno == EINTR);
    if (got < 0) return path_error(errno, path);
    content.resize(filled + static_cast<std::size_t>(got));
    if (got == 0) return content;
    if (content.size() > limit.count) return too_large(content.size());
  }
}

}  // namespace cmcp::file
