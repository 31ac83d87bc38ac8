#include "transport/ended_sessions.h"

#include <fcntl.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "base/log.h"
#include "base/strings.h"

namespace cmcp::transport {

namespace {

constexpr std::size_t kNonceDigits = 32;
// Rewriting pays only for a file that is mostly out of date.
constexpr std::size_t kRewriteAbove = 1000;

std::string line_of(const std::string& nonce, WallTime expiry) {
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(expiry.time_since_epoch()).count();
  return nonce + " " + std::to_string(seconds) + "\n";
}

void warn(const HostPath& path, const char* what) {
  log::warning(
      "the list of ended sessions is not kept; ended sessions may come back after a restart",
      {{"file", path.value}, {"failed", what}, {"reason", std::strerror(errno)}});
}

}  // namespace

EndedSessions::EndedSessions(HostPath path, WallTime now) : path_(std::move(path)) {
  if (path_.value.empty()) return;
  load(now);
  if (lines_ > ended_.size()) rewrite();
  open_for_append();
}

void EndedSessions::load(WallTime now) {
  std::ifstream file(path_.value);
  for (std::string line; std::getline(file, line);) {
    ++lines_;
    const std::size_t space = line.find(' ');
    if (space != kNonceDigits) continue;  // half a line after a crash
    const auto seconds = parse_int(std::string_view(line).substr(space + 1));
    if (!seconds || *seconds < 0) continue;
    const WallTime expiry{std::chrono::seconds(*seconds)};
    if (expiry > now) ended_[line.substr(0, space)] = expiry;
  }
}

void EndedSessions::open_for_append() {
  file_ =
      Fd(::open(path_.value.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file_) warn(path_, "open");
}

void EndedSessions::rewrite() {
  const std::string temporary = path_.value + ".new";
  const Fd file(
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  std::string text;
  for (const auto& [nonce, expiry] : ended_) text += line_of(nonce, expiry);
  if (!file || ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
      ::rename(temporary.c_str(), path_.value.c_str()) != 0) {
    return warn(path_, "rewrite");
  }
  lines_ = ended_.size();
}

void EndedSessions::add(const std::string& nonce, WallTime expiry) {
  if (!ended_.emplace(nonce, expiry).second || !file_) return;
  const std::string line = line_of(nonce, expiry);
  ++lines_;
  if (::write(file_.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    warn(path_, "write");
}

void EndedSessions::sweep(WallTime now) {
  std::erase_if(ended_, [&](const auto& entry) { return entry.second <= now; });
  if (!file_ || lines_ < kRewriteAbove || lines_ < 2 * ended_.size()) return;
  rewrite();
  open_for_append();
}

}  // namespace cmcp::transport
