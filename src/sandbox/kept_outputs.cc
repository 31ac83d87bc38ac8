#include "sandbox/kept_outputs.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include "base/base64.h"

namespace cmcp::sandbox {
namespace {

constexpr std::size_t kIdLength = 22;  // 16 bytes in base64url

Error io_error(const std::string& what) {
  return {ErrorCode::kIo, what + ": " + std::strerror(errno), errno};
}

bool is_stream_name(std::string_view name) {
  return !name.empty() && name.size() <= 32 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || c == '_';
  });
}

// Whether `name` is one of our files: nothing else in the directory is ever touched.
bool is_our_file(std::string_view name) {
  return name.size() > kIdLength && name[kIdLength] == '.' &&
         is_stream_name(name.substr(kIdLength + 1)) &&
         base64::decode_url(name.substr(0, kIdLength)).ok();
}

std::string file_name(const std::string& call_id, const std::string& stream) {
  return call_id + "." + stream;
}

Result<std::string> random_id() {
  std::array<char, 16> bytes{};
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t got = ::getrandom(bytes.data() + have, bytes.size() - have, 0);
    if (got < 0 && errno != EINTR) return io_error("no random numbers for the id of a kept output");
    if (got > 0) have += static_cast<std::size_t>(got);
  }
  return base64::encode_url({bytes.data(), bytes.size()});
}

// Writes all it can; returns the number of bytes written, with errno set when that is less than
// asked for.
std::uint64_t write_some(int fd, std::string_view bytes) {
  std::uint64_t written = 0;
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    written += static_cast<std::uint64_t>(n);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return written;
}

}  // namespace

Result<KeptOutputs> KeptOutputs::open(const HostPath& directory, Bytes keep_per_call,
                                      std::function<Clock::time_point()> now) {
  if (::mkdir(directory.value.c_str(), 0700) != 0 && errno != EEXIST) {
    return io_error("cannot make the directory for kept outputs");
  }
  Fd fd(::open(directory.value.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) return io_error("cannot open the directory for kept outputs");
  KeptOutputs kept(std::move(fd), keep_per_call, std::move(now));
  kept.remove_leftovers();
  return kept;
}

KeptOutputs::KeptOutputs(Fd directory, Bytes keep_per_call, std::function<Clock::time_point()> now)
    : directory_(std::move(directory)), keep_per_call_(keep_per_call.count), now_(std::move(now)) {}

Result<std::string> KeptOutputs::begin_call(const std::string& principal) {
  sweep();
  CMCP_TRY(std::string id, random_id());
  Call& call = calls_[id];
  call.principal = principal;
  call.begun = now_();
  return id;
}

Result<std::uint64_t> KeptOutputs::append(const std::string& call_id, const std::string& stream,
                                          std::string_view bytes) {
  const auto found = calls_.find(call_id);
  if (found == calls_.end() || !is_stream_name(stream)) return std::uint64_t{0};
  Call& call = found->second;
  const std::uint64_t room =
      make_room(call, std::min<std::uint64_t>(bytes.size(), keep_per_call_ - call.bytes));
  if (room == 0) return std::uint64_t{0};
  Stream& kept = call.streams[stream];
  if (!kept.file) {
    kept.file.reset(::openat(directory_.get(), file_name(call_id, stream).c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!kept.file) {
      call.streams.erase(stream);
      return io_error("cannot keep an output");
    }
  }
  const std::uint64_t written = write_some(kept.file.get(), bytes.substr(0, room));
  kept.bytes += written;
  call.bytes += written;
  if (written < room) return io_error("cannot keep an output");
  return written;
}

void KeptOutputs::discard(const std::string& call_id, const std::string& stream) {
  const auto call = calls_.find(call_id);
  if (call == calls_.end()) return;
  const auto kept = call->second.streams.find(stream);
  if (kept == call->second.streams.end()) return;
  ::unlinkat(directory_.get(), file_name(call_id, stream).c_str(), 0);
  call->second.bytes -= kept->second.bytes;
  call->second.streams.erase(kept);
}

void KeptOutputs::end_call(const std::string& call_id) {
  const auto call = calls_.find(call_id);
  if (call == calls_.end()) return;
  call->second.running = false;
  for (auto& [name, stream] : call->second.streams) stream.file.reset();
  if (call->second.streams.empty()) calls_.erase(call);
}

Result<std::string> KeptOutputs::read(const std::string& principal, const std::string& call_id,
                                      const std::string& stream) {
  sweep();
  const auto call = calls_.find(call_id);
  const Error absent(ErrorCode::kNotFound,
                     "No kept output has this URI (outputs are kept for one hour at most, and the "
                     "oldest go first).");
  if (call == calls_.end() || call->second.principal != principal) return absent;
  const auto kept = call->second.streams.find(stream);
  if (kept == call->second.streams.end()) return absent;
  const Fd file(::openat(directory_.get(), file_name(call_id, stream).c_str(),
                         O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file) return absent;
  std::string bytes(kept->second.bytes, '\0');
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t got =
        ::pread(file.get(), bytes.data() + have, bytes.size() - have, static_cast<off_t>(have));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return io_error("cannot read a kept output");
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  bytes.resize(have);
  return bytes;
}

std::string KeptOutputs::uri(const std::string& call_id, const std::string& stream) {
  return "output:///" + call_id + "/" + stream;
}

void KeptOutputs::sweep() {
  const auto oldest = now_() - kMaxAge;
  for (auto call = calls_.begin(); call != calls_.end();) {
    const auto next = std::next(call);
    if (!call->second.running && call->second.begun < oldest) drop(call);
    call = next;
  }
}

void KeptOutputs::drop(Calls::iterator call) {
  for (const auto& [name, stream] : call->second.streams) {
    ::unlinkat(directory_.get(), file_name(call->first, name).c_str(), 0);
  }
  calls_.erase(call);
}

// Drops the oldest finished calls of the same principal until `wanted` bytes fit; returns how many
// fit now.
std::uint64_t KeptOutputs::make_room(const Call& call, std::uint64_t wanted) {
  const std::uint64_t limit = kCallsPerPrincipal * keep_per_call_;
  for (;;) {
    std::uint64_t used = 0;
    auto oldest = calls_.end();
    for (auto it = calls_.begin(); it != calls_.end(); ++it) {
      if (it->second.principal != call.principal) continue;
      used += it->second.bytes;
      if (it->second.running || &it->second == &call) continue;
      if (oldest == calls_.end() || it->second.begun < oldest->second.begun) oldest = it;
    }
    if (used + wanted <= limit) return wanted;
    if (oldest == calls_.end()) return used < limit ? limit - used : 0;
    drop(oldest);
  }
}

void KeptOutputs::remove_leftovers() {
  const int copy = ::openat(directory_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (copy < 0) return;
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::fdopendir(copy), &::closedir);
  if (!listing) {
    ::close(copy);
    return;
  }
  const auto oldest = Clock::to_time_t(now_() - kMaxAge);
  std::vector<std::string> old;
  while (const dirent* entry = ::readdir(listing.get())) {
    struct stat info{};
    if (is_our_file(entry->d_name) &&
        ::fstatat(directory_.get(), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
        info.st_mtime < oldest) {
      old.emplace_back(entry->d_name);
    }
  }
  for (const std::string& name : old) ::unlinkat(directory_.get(), name.c_str(), 0);
}

}  // namespace cmcp::sandbox
