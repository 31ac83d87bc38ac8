#include "transport/output_queue.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

namespace cmcp::transport {
namespace {

// Written bytes are dropped from the front in pieces of this size, so that a long queue is not
// moved for every write.
constexpr std::size_t kCompactBytes = 1U << 20U;

bool is_socket(int fd) {
  struct stat status{};
  return ::fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode);
}

bool is_writable_now(int fd) {
  pollfd entry{fd, POLLOUT, 0};
  return ::poll(&entry, 1, 0) > 0;
}

}  // namespace

OutputQueue::OutputQueue(net::Reactor& reactor, int fd, std::size_t max_queued_bytes, Events events)
    : reactor_(reactor),
      fd_(fd),
      socket_(is_socket(fd)),
      max_queued_(max_queued_bytes),
      events_(std::move(events)),
      watch_(reactor, fd) {}

void OutputQueue::write(std::string bytes) {
  if (failed_) return;
  if (!empty() && queued_.size() - written_ + bytes.size() > max_queued_) {
    fail("the client does not read: " + std::to_string(queued_.size() - written_) +
         " bytes are waiting");
    return;
  }
  if (empty()) {
    queued_ = std::move(bytes);
    written_ = 0;
  } else {
    queued_.append(bytes);
  }
  if (!armed_) flush();
}

void OutputQueue::flush() {
  while (!empty()) {
    const Step step = write_some();
    if (step == Step::kFailed) return;
    if (step == Step::kWait) {
      armed_ = true;
      watch_.on_writable([this] {
        armed_ = false;
        flush();
      });
      return;
    }
  }
  queued_ = std::string();
  written_ = 0;
  if (events_.drained) events_.drained();
}

// The descriptor is not switched to non-blocking here: its open file may be shared with other
// programs, a terminal's always is. A socket has a flag for the one call; anything else takes
// PIPE_BUF bytes without blocking when poll() says writable.
OutputQueue::Step OutputQueue::write_some() {
  const char* data = queued_.data() + written_;
  const std::size_t size = queued_.size() - written_;
  ssize_t count = 0;
  if (socket_) {
    count = ::send(fd_, data, size, MSG_DONTWAIT | MSG_NOSIGNAL);
  } else {
    if (!is_writable_now(fd_)) return Step::kWait;
    count = ::write(fd_, data, std::min<std::size_t>(size, PIPE_BUF));
  }
  if (count < 0) {
    if (errno == EAGAIN || errno == EWOULDBLOCK) return Step::kWait;
    if (errno == EINTR) return Step::kProgress;
    fail(std::string("the output cannot be written: ") + std::strerror(errno));
    return Step::kFailed;
  }
  written_ += static_cast<std::size_t>(count);
  if (written_ >= kCompactBytes) {
    queued_.erase(0, written_);
    written_ = 0;
  }
  return Step::kProgress;
}

void OutputQueue::fail(std::string reason) {
  if (std::exchange(failed_, true)) return;
  queued_ = std::string();
  written_ = 0;
  reactor_.post([this, alive = std::weak_ptr<bool>(alive_), reason = std::move(reason)] {
    if (!alive.expired()) events_.failed(reason);
  });
}

}  // namespace cmcp::transport
