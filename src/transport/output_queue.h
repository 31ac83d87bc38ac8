// OutputQueue: bytes for a descriptor that must never block the reactor, with a bound on what
// waits. Works for pipes, sockets, terminals and files.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "net/reactor.h"

namespace cmcp::transport {

class OutputQueue {
 public:
  struct Events {
    std::function<void()> drained;  // everything written so far has been handed to the kernel
    // The reader is gone, or more than the bound was waiting. Called at most once, through the
    // reactor.
    std::function<void(const std::string& reason)> failed;
  };
  // `fd` stays the caller's and open until after this object.
  OutputQueue(net::Reactor& reactor, int fd, std::size_t max_queued_bytes, Events events);

  // Queues `bytes` and writes what the descriptor takes now. A message that is larger than the
  // bound by itself is taken when nothing else waits.
  void write(std::string bytes);
  bool empty() const { return queued_.size() == written_; }

 private:
  enum class Step { kProgress, kWait, kFailed };
  void flush();
  Step write_some();
  void fail(std::string reason);

  net::Reactor& reactor_;
  int fd_;
  bool socket_ = false;
  std::size_t max_queued_;
  Events events_;
  std::string queued_;
  std::size_t written_ = 0;  // of queued_
  bool armed_ = false;
  bool failed_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // guards what is posted
  net::FdWatch watch_;
};

}  // namespace cmcp::transport
