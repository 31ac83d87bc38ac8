// Files and descriptors: the calls that everybody needs, as Results. All descriptors are
// close-on-exec.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"

namespace cmcp::os {

// openat(2) with O_CLOEXEC added. `dir` may be AT_FDCWD.
Result<Fd> open_at(int dir, const std::string& path, int flags, mode_t mode = 0);
// openat2(2): `resolve` holds RESOLVE_* bits; O_CLOEXEC is added.
Result<Fd> openat2(int dir, const std::string& path, std::uint64_t flags, std::uint64_t resolve,
                   mode_t mode = 0);

// Everything from the descriptor's position to its end; kLimitExceeded when that is more than
// `limit` bytes.
Result<std::string> read_all(int fd, std::size_t limit);
// The content of a file; kLimitExceeded when it is longer than `limit` bytes.
Result<std::string> read_file(const std::string& path, std::size_t limit);
Result<std::string> read_file_at(int dir, const std::string& path, std::size_t limit);
// Writes all bytes, resuming after short writes and EINTR. A full non-blocking descriptor is an
// error (kBusy).
Status write_all(int fd, std::string_view bytes);
// Opens an existing file for writing and writes `bytes` with one call (what /proc and cgroup files
// want).
Status write_existing_at(int dir, const std::string& path, std::string_view bytes);

// One non-blocking read: bytes (empty = end of file), or nothing when there is none now.
Result<std::optional<std::string>> read_some(int fd, std::size_t limit);

struct Pipe {
  Fd read_end;
  Fd write_end;
};
Result<Pipe> make_pipe(int flags = 0);
Status set_nonblocking(int fd, bool on);
Result<Fd> duplicate(int fd, int at_least = 3);
Result<struct stat> stat_of(int fd);
// Names in a directory without "." and "..", at most `limit`.
Result<std::vector<std::string>> list_directory(int fd, std::size_t limit = 100000);
// How many descriptors this process has open (counts /proc/self/fd, without the one used for
// counting).
Result<std::size_t> count_open_descriptors();

}  // namespace cmcp::os
