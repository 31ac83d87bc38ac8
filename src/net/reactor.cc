#include "net/reactor.h"

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace cmcp::net {

namespace asio = boost::asio;

struct Reactor::Impl {
  asio::io_context context{1};
  asio::executor_work_guard<asio::io_context::executor_type> keep_running =
      asio::make_work_guard(context);
  std::atomic<std::thread::id> thread{};
};

Reactor::Reactor() : impl_(std::make_unique<Impl>()) {}
Reactor::~Reactor() = default;

void Reactor::run() {
  impl_->thread = std::this_thread::get_id();
  impl_->context.run();
  // Afterwards, not before: a stop() that came before run() must count.
  impl_->context.restart();
  impl_->thread = std::thread::id();
}

void Reactor::stop() {
  impl_->context.stop();
}
void Reactor::post(Task task) {
  asio::post(impl_->context, std::move(task));
}
bool Reactor::on_reactor_thread() const {
  return impl_->thread == std::this_thread::get_id();
}

// A completion can be queued already when its owner goes away: `armed` counts the registrations,
// and a completion of an earlier registration, or of none, does nothing.
struct Timer::Impl {
  struct State {
    explicit State(asio::io_context& context) : timer(context) {}
    asio::steady_timer timer;
    std::uint64_t armed = 0;
  };
  std::shared_ptr<State> state;
};

Timer::Timer(Reactor& reactor)
    : impl_(std::make_unique<Impl>(Impl{std::make_shared<Impl::State>(reactor.impl().context)})) {}
Timer::Timer(Timer&&) noexcept = default;
Timer& Timer::operator=(Timer&& other) noexcept {
  if (this != &other) {
    if (impl_) cancel();
    impl_ = std::move(other.impl_);
  }
  return *this;
}
Timer::~Timer() {
  if (impl_) cancel();
}

void Timer::start(std::chrono::milliseconds after, Task task) {
  const std::shared_ptr<Impl::State> state = impl_->state;
  const std::uint64_t mine = ++state->armed;
  state->timer.expires_after(after);
  state->timer.async_wait(
      [state, mine, task = std::move(task)](const boost::system::error_code& failure) {
        if (!failure && state->armed == mine) task();
      });
}

void Timer::cancel() {
  ++impl_->state->armed;
  impl_->state->timer.cancel();
}

struct FdWatch::Impl {
  struct State {
    explicit State(asio::io_context& context) : descriptor(context) {}
    asio::posix::stream_descriptor descriptor;
    bool alive = true;
  };
  std::shared_ptr<State> state;

  void arm(asio::posix::stream_descriptor::wait_type direction, Task task) {
    state->descriptor.async_wait(direction, [state = state, task = std::move(task)](
                                                const boost::system::error_code& failure) {
      // Regular files cannot be polled (operation_not_supported): they are always ready.
      if (state->alive && failure != asio::error::operation_aborted) task();
    });
  }
  void disarm() {
    state->alive = false;
    boost::system::error_code ignored;
    state->descriptor.cancel(ignored);
    state->descriptor.release();
  }
};

FdWatch::FdWatch(Reactor& reactor, int fd)
    : impl_(std::make_unique<Impl>(Impl{std::make_shared<Impl::State>(reactor.impl().context)})) {
  boost::system::error_code ignored;
  impl_->state->descriptor.assign(fd, ignored);
}
FdWatch::FdWatch(FdWatch&&) noexcept = default;
FdWatch& FdWatch::operator=(FdWatch&& other) noexcept {
  if (this != &other) {
    if (impl_) impl_->disarm();
    impl_ = std::move(other.impl_);
  }
  return *this;
}
FdWatch::~FdWatch() {
  if (impl_) impl_->disarm();
}

void FdWatch::on_readable(Task task) {
  impl_->arm(asio::posix::stream_descriptor::wait_read, std::move(task));
}
void FdWatch::on_writable(Task task) {
  impl_->arm(asio::posix::stream_descriptor::wait_write, std::move(task));
}

struct SignalWatch::Impl {
  struct State {
    explicit State(asio::io_context& context) : signals(context) {}
    asio::signal_set signals;
    std::function<void(int)> task;
    bool alive = true;
  };
  std::shared_ptr<State> state;

  static void wait(const std::shared_ptr<State>& state) {
    state->signals.async_wait([state](const boost::system::error_code& failure, int signal) {
      if (failure || !state->alive) return;
      wait(state);
      state->task(signal);
    });
  }
};

SignalWatch::SignalWatch(Reactor& reactor, std::initializer_list<int> signals,
                         std::function<void(int)> task)
    : impl_(std::make_unique<Impl>(Impl{std::make_shared<Impl::State>(reactor.impl().context)})) {
  impl_->state->task = std::move(task);
  for (const int signal : signals) {
    boost::system::error_code ignored;
    impl_->state->signals.add(signal, ignored);
  }
  Impl::wait(impl_->state);
}

SignalWatch::~SignalWatch() {
  impl_->state->alive = false;
  boost::system::error_code ignored;
  impl_->state->signals.cancel(ignored);
}

struct WorkerPool::Impl {
  struct Item {
    Task work;
    Task done;
  };
  Reactor& reactor;
  std::size_t max_queued;
  std::mutex mutex;
  std::condition_variable wake;
  std::deque<Item> queue;
  bool stopping = false;
  std::vector<std::thread> threads;

  Impl(Reactor& owner, std::size_t limit) : reactor(owner), max_queued(limit) {}

  void work() {
    for (;;) {
      Item item;
      {
        std::unique_lock<std::mutex> lock(mutex);
        wake.wait(lock, [this] { return stopping || !queue.empty(); });
        if (stopping) return;
        item = std::move(queue.front());
        queue.pop_front();
      }
      item.work();
      // The closures may own objects of the reactor thread: they end there.
      reactor.post([item = std::move(item)] { item.done(); });
    }
  }
};

WorkerPool::WorkerPool(Reactor& reactor, std::size_t threads, std::size_t max_queued)
    : impl_(std::make_unique<Impl>(reactor, max_queued)) {
  for (std::size_t i = 0; i < threads; ++i) {
    impl_->threads.emplace_back([impl = impl_.get()] { impl->work(); });
  }
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard<std::mutex> lock(impl_->mutex);
    impl_->stopping = true;
  }
  impl_->wake.notify_all();
  for (std::thread& thread : impl_->threads) thread.join();
}

Status WorkerPool::submit(Task work, Task done) {
  {
    const std::lock_guard<std::mutex> lock(impl_->mutex);
    if (impl_->queue.size() >= impl_->max_queued) {
      return Error(ErrorCode::kBusy, "the server is busy: " + std::to_string(impl_->queue.size()) +
                                         " file operations are waiting; try again in a moment");
    }
    impl_->queue.push_back({std::move(work), std::move(done)});
  }
  impl_->wake.notify_one();
  return {};
}

}  // namespace cmcp::net
