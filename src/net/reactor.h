// Reactor: the one thread on which all protocol and bookkeeping code runs, and the worker pool for
// what blocks. Asio stays inside reactor.cc. Callbacks run on the reactor thread, never inside the
// call that registers them.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

#include "base/result.h"

namespace cmcp::net {

using Task = std::function<void()>;

class Reactor {
 public:
  Reactor();
  ~Reactor();
  Reactor(const Reactor&) = delete;
  Reactor& operator=(const Reactor&) = delete;

  // Runs callbacks until stop(). The calling thread is the reactor thread.
  void run();
  // Makes run() return after the callback that runs now. Thread-safe.
  void stop();
  // Queues `task` for the reactor thread. Thread-safe; the only thread-safe call besides stop().
  void post(Task task);
  // True on the reactor thread while run() runs.
  bool on_reactor_thread() const;

  struct Impl;
  Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

// A one-shot timer. start() again replaces the earlier start; destruction cancels.
class Timer {
 public:
  explicit Timer(Reactor& reactor);
  ~Timer();
  Timer(Timer&&) noexcept;
  Timer& operator=(Timer&&) noexcept;
  void start(std::chrono::milliseconds after, Task task);
  void cancel();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Watches a descriptor that somebody else owns and keeps open until after this watch is destroyed.
// Each on_* call arms one callback; arm again from inside it. Destruction disarms.
class FdWatch {
 public:
  FdWatch(Reactor& reactor, int fd);
  ~FdWatch();
  FdWatch(FdWatch&&) noexcept;
  FdWatch& operator=(FdWatch&&) noexcept;
  // Readable, at end of file, or in error: read() tells.
  void on_readable(Task task);
  void on_writable(Task task);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Calls `task` on the reactor thread for each SIGTERM, SIGINT or other signal in `signals`.
// Destruction stops watching.
class SignalWatch {
 public:
  SignalWatch(Reactor& reactor, std::initializer_list<int> signals, std::function<void(int)> task);
  ~SignalWatch();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A bounded pool of threads for blocking work (file tools). `work` runs on a worker, `done` then on
// the reactor thread.
class WorkerPool {
 public:
  WorkerPool(Reactor& reactor, std::size_t threads, std::size_t max_queued);
  ~WorkerPool();  // waits for the work in progress, drops what is queued
  // kBusy when max_queued items wait already; then neither function is called. Reactor thread only.
  Status submit(Task work, Task done);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cmcp::net
