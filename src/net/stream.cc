#include "net/stream.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <deque>
#include <optional>

namespace cmcp::net {

namespace {

constexpr std::size_t kReadChunk = 64 * 1024;
constexpr std::size_t kMergeBelow = 16 * 1024;

// One read buffer a thread: a connection that waits then costs no buffer of its own.
char* read_buffer() {
  thread_local std::array<char, kReadChunk> buffer;
  return buffer.data();
}

// True when both directions are over: the peer closed and answered our bytes with a reset.
bool peer_gone(int fd) {
  pollfd entry{fd, 0, 0};
  return ::poll(&entry, 1, 0) > 0 && (entry.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
}

}  // namespace

struct Stream::Impl : std::enable_shared_from_this<Stream::Impl> {
  Impl(Reactor& r, Fd s, StreamOptions o, Handlers h)
      : reactor(r),
        socket(std::move(s)),
        options(o),
        handlers(std::move(h)),
        stall(r),
        check(r),
        watch(std::in_place, r, socket.get()) {}

  Task guarded(void (Impl::*member)()) {
    return [weak = weak_from_this(), member] {
      if (const auto self = weak.lock(); self && self->socket.valid()) ((*self).*member)();
    };
  }

  void arm_read() {
    if (read_armed || paused || end_seen || !socket.valid()) return;
    read_armed = true;
    watch->on_readable(guarded(&Impl::readable));
  }

  void readable() {
    read_armed = false;
    if (paused) return;
    const ssize_t n = ::recv(socket.get(), read_buffer(), kReadChunk, 0);
    if (n < 0) {
      if (errno == EAGAIN || errno == EINTR) return arm_read();
      return close_now();
    }
    if (n == 0) return end_of_input();
    if (finishing) {
      lingered += static_cast<std::size_t>(n);
      if (lingered > kLingerBytes) return close_now();
    } else {
      handlers.data({read_buffer(), static_cast<std::size_t>(n)});
    }
    arm_read();
  }

  void end_of_input() {
    end_seen = true;
    if (finishing) {
      if (queued == 0) close_now();
      return;
    }
    start_check();
    handlers.end_of_input();
  }

  // A peer that has half-closed gives no event when it goes away for good, so it is looked at from
  // time to time.
  void start_check() { check.start(options.peer_check, guarded(&Impl::check_peer)); }
  void check_peer() {
    if (finishing || (!end_seen && !paused)) return;
    if (peer_gone(socket.get())) return close_now();
    start_check();
  }

  void write(std::string bytes) {
    if (!socket.valid() || finishing || bytes.empty()) return;
    if (queued > options.max_queued_bytes) return close_now();
    std::size_t sent = 0;
    if (queue.empty()) {
      const ssize_t n =
          ::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (n < 0 && errno != EAGAIN && errno != EINTR) return close_now();
      sent = n > 0 ? static_cast<std::size_t>(n) : 0;
      if (sent == bytes.size()) return;
    }
    queued += bytes.size() - sent;
    if (!queue.empty() && queue.back().size() + bytes.size() < kMergeBelow) {
      queue.back().append(bytes);
    } else {
      if (queue.empty()) front_sent = sent;
      queue.push_back(std::move(bytes));
    }
    arm_write();
  }

  void arm_write() {
    if (write_armed) return;
    write_armed = true;
    stall.start(options.write_stall, guarded(&Impl::close_now));
    watch->on_writable(guarded(&Impl::writable));
  }

  void writable() {
    write_armed = false;
    stall.cancel();
    while (!queue.empty()) {
      const std::string& front = queue.front();
      const ssize_t n = ::send(socket.get(), front.data() + front_sent, front.size() - front_sent,
                               MSG_NOSIGNAL | MSG_DONTWAIT);
      if (n < 0) {
        if (errno == EAGAIN || errno == EINTR) return arm_write();
        return close_now();
      }
      queued -= static_cast<std::size_t>(n);
      front_sent += static_cast<std::size_t>(n);
      if (front_sent < front.size()) return arm_write();
      queue.pop_front();
      front_sent = 0;
    }
    if (finishing) linger();
  }

  void finish() {
    if (!socket.valid() || finishing) return;
    finishing = true;
    paused = false;
    if (queue.empty()) {
      linger();
    } else {
      arm_read();
    }
  }

  void linger() {
    ::shutdown(socket.get(), SHUT_WR);
    if (end_seen) return close_now();
    stall.start(options.linger, guarded(&Impl::close_now));
    arm_read();
  }

  // Posted, so that a user's call on the stream never calls the user back from inside.
  void close_now() {
    if (!socket.valid()) return;
    watch.reset();
    stall.cancel();
    check.cancel();
    socket.reset();
    queue.clear();
    queued = 0;
    reactor.post([weak = weak_from_this()] {
      if (const auto self = weak.lock(); self && !self->dropped) self->handlers.closed();
    });
  }

  static constexpr std::size_t kLingerBytes = 64U << 20U;

  Reactor& reactor;
  Fd socket;
  StreamOptions options;
  Handlers handlers;
  Timer stall;
  Timer check;
  std::optional<FdWatch> watch;  // before `socket` in destruction
  std::deque<std::string> queue;
  std::size_t queued = 0;
  std::size_t front_sent = 0;
  std::size_t lingered = 0;
  bool read_armed = false;
  bool write_armed = false;
  bool paused = false;
  bool end_seen = false;
  bool finishing = false;
  bool dropped = false;
};

Stream::Stream(Reactor& reactor, Fd socket, StreamOptions options, Handlers handlers)
    : impl_(std::make_shared<Impl>(reactor, std::move(socket), options, std::move(handlers))) {}

Stream::~Stream() {
  impl_->dropped = true;
  impl_->close_now();
}

void Stream::start() {
  impl_->arm_read();
}

void Stream::pause_reading() {
  if (impl_->paused || !impl_->socket.valid() || impl_->finishing) return;
  impl_->paused = true;
  impl_->start_check();
}

void Stream::resume_reading() {
  impl_->paused = false;
  impl_->arm_read();
}

void Stream::write(std::string bytes) {
  impl_->write(std::move(bytes));
}
void Stream::finish() {
  impl_->finish();
}
void Stream::abort() {
  impl_->close_now();
}
bool Stream::open() const {
  return impl_->socket.valid() && !impl_->finishing;
}
std::size_t Stream::queued_bytes() const {
  return impl_->queued;
}

}  // namespace cmcp::net
