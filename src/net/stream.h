// Stream: one connected socket on the reactor: reads as they come, a bounded write queue,
// half-close, orderly end. It knows nothing of what the bytes mean. Everything on the reactor
// thread.
//
//   Stream stream(reactor, std::move(fd), options, {.data = …, .end_of_input = …, .closed = …});
//   stream.start();
//   stream.write("HTTP/1.1 200 OK\r\n…");
//   stream.finish();   // what is queued is sent first
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "net/reactor.h"

namespace cmcp::net {

struct StreamOptions {
  // write() on a queue that already holds more than this ends the stream: the peer does not read.
  std::size_t max_queued_bytes = 8U << 20U;
  // The same when nothing could be sent for this long.
  std::chrono::milliseconds write_stall{30'000};
  // How long finish() reads and drops what the peer still sends, so that a reset does not eat the
  // last answer.
  std::chrono::milliseconds linger{1'000};
  // How often a stream that does not read (peer half-closed, or reading paused) looks whether the
  // peer is gone.
  std::chrono::milliseconds peer_check{50};
};

class Stream {
 public:
  // Called on the reactor thread, never inside a call on the stream. A handler may destroy the
  // stream.
  struct Handlers {
    std::function<void(std::string_view)> data;
    // The peer sends no more; it may still read.
    std::function<void()> end_of_input;
    // The connection is over, by either side; nothing is called after this.
    std::function<void()> closed;
  };

  Stream(Reactor& reactor, Fd socket, StreamOptions options, Handlers handlers);
  ~Stream();  // closes at once, calls no handler
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  void start();
  void pause_reading();
  void resume_reading();
  // Queues `bytes` behind what is queued already. Does nothing on a stream that is finished or
  // closed.
  void write(std::string bytes);
  // Sends what is queued, then ends the connection. No more data is delivered.
  void finish();
  // Ends the connection now.
  void abort();
  // False from the moment the connection is known to be over or finish() was called.
  bool open() const;
  std::size_t queued_bytes() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace cmcp::net
