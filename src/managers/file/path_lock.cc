#include "managers/file/path_lock.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>
#include <thread>

namespace cmcp::file {
namespace {

using std::chrono::microseconds;
constexpr const char* kLockFile = "files.lock";
constexpr std::chrono::seconds kPatience{30};

// The byte of the lock file that stands for an entry: a hash of its directory's identity and its
// name. Two entries that meet in one byte only wait for each other.
off_t lock_byte(std::uint64_t device, std::uint64_t inode, std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  const auto mix = [&](unsigned char byte) { hash = (hash ^ byte) * 0x100000001b3U; };
  for (unsigned shift = 0; shift < 64; shift += 8) {
    mix(static_cast<unsigned char>(device >> shift));
    mix(static_cast<unsigned char>(inode >> shift));
  }
  for (const char c : name) mix(static_cast<unsigned char>(c));
  return static_cast<off_t>(hash >> 2U);
}

Status wait_for(int file, off_t byte, const CancelFlag& cancel) {
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  // The blocking form could not be cancelled.
  for (microseconds pause{100}; ::fcntl(file, F_OFD_SETLK, &lock) != 0;
       pause = std::min(pause * 2, microseconds(5000))) {
    if (errno != EAGAIN && errno != EACCES && errno != EINTR) {
      return Error(ErrorCode::kIo, std::string("Cannot lock the file: ") + ::strerrordesc_np(errno),
                   errno);
    }
    if (cancel.is_set()) return Error(ErrorCode::kCancelled, "Cancelled");
    if (std::chrono::steady_clock::now() > deadline) {
      return Error(ErrorCode::kBusy,
                   "The file is being written by another call for more than 30 s; try again");
    }
    std::this_thread::sleep_for(pause);
  }
  return {};
}

int open_lock_file(int directory) {
  return ::openat(directory, kLockFile, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
}

}  // namespace

Result<PathLock> PathLock::open(const HostPath& state_dir) {
  Fd directory(::open(state_dir.value.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!directory || !Fd(open_lock_file(directory.get()))) {
    return Error(ErrorCode::kIo,
                 "lock file in STATE_DIR " + state_dir.value + ": " + ::strerrordesc_np(errno),
                 errno);
  }
  return PathLock(std::move(directory));
}

Result<Fd> PathLock::acquire(const std::vector<const Place*>& places,
                             const CancelFlag& cancel) const {
  std::vector<off_t> bytes;
  for (const Place* place : places) {
    struct stat status{};
    if (::fstat(place->parent.get(), &status) != 0) return path_error(errno, place->path);
    bytes.push_back(lock_byte(status.st_dev, status.st_ino, place->name));
  }
  // One order for all: two calls with the same two paths cannot wait for each other.
  std::sort(bytes.begin(), bytes.end());
  bytes.erase(std::unique(bytes.begin(), bytes.end()), bytes.end());
  Fd file(open_lock_file(directory_.get()));
  if (!file)
    return Error(ErrorCode::kIo,
                 std::string("Cannot open the lock file: ") + ::strerrordesc_np(errno), errno);
  for (const off_t byte : bytes) CMCP_CHECK_OK(wait_for(file.get(), byte, cancel));
  return file;
}

}  // namespace cmcp::file
