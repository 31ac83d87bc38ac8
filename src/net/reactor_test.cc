#include "net/reactor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <optional>
#include <string>
#include <thread>

#include "base/fd.h"

namespace cmcp::net {
namespace {

using std::chrono::milliseconds;

TEST(Reactor, PostsFromOtherThreadsRunOnTheReactorThread) {
  Reactor reactor;
  WorkerPool pool(reactor, 2, 100);
  int done = 0;
  std::atomic<int> worked = 0;
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(pool.submit([&] { ++worked; },
                            [&] {
                              EXPECT_TRUE(reactor.on_reactor_thread());
                              if (++done == 50) reactor.stop();
                            })
                    .ok());
  }
  reactor.run();
  EXPECT_EQ(worked, 50);
  EXPECT_FALSE(reactor.on_reactor_thread());
}

TEST(Reactor, AFullPoolSaysBusy) {
  Reactor reactor;
  std::atomic<bool> started = false;
  std::atomic<bool> release = false;
  {
    WorkerPool pool(reactor, 1, 1);
    ASSERT_TRUE(pool.submit(
                        [&] {
                          started = true;
                          while (!release) std::this_thread::yield();
                        },
                        [] {})
                    .ok());
    while (!started) std::this_thread::yield();
    ASSERT_TRUE(pool.submit([] {}, [] {}).ok());
    const Status third = pool.submit([] {}, [] {});
    ASSERT_FALSE(third.ok());
    EXPECT_EQ(third.error().code(), ErrorCode::kBusy);
    release = true;
  }
}

TEST(Reactor, AStopBeforeRunCounts) {
  Reactor reactor;
  reactor.stop();
  reactor.run();
  bool ran = false;
  reactor.post([&] {
    ran = true;
    reactor.stop();
  });
  reactor.run();
  EXPECT_TRUE(ran);
}

TEST(Timer, FiresInOrderAndNotAfterCancel) {
  Reactor reactor;
  std::string order;
  Timer first(reactor);
  Timer second(reactor);
  Timer cancelled(reactor);
  std::optional<Timer> destroyed(std::in_place, reactor);
  second.start(milliseconds(20), [&] {
    order += "b";
    reactor.stop();
  });
  first.start(milliseconds(1), [&] { order += "a"; });
  cancelled.start(milliseconds(0), [&] { order += "x"; });
  cancelled.cancel();
  destroyed->start(milliseconds(0), [&] { order += "y"; });
  destroyed.reset();
  reactor.run();
  EXPECT_EQ(order, "ab");
}

TEST(FdWatch, SeesDataEndAndRegularFiles) {
  Reactor reactor;
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
  Fd near(pair[0]);
  Fd far(pair[1]);
  Fd file(open("/etc/passwd", O_RDONLY | O_CLOEXEC));
  std::string seen;
  FdWatch watch(reactor, near.get());
  FdWatch file_watch(reactor, file.get());
  std::function<void()> read_more = [&] {
    char buffer[8];
    const ssize_t n = read(near.get(), buffer, sizeof buffer);
    seen += n > 0 ? "data " : "end ";
    if (n > 0) {
      watch.on_readable(read_more);
      far.reset();
    } else {
      file_watch.on_readable([&] {
        seen += "file";
        reactor.stop();
      });
    }
  };
  watch.on_readable(read_more);
  ASSERT_EQ(write(far.get(), "x", 1), 1);
  reactor.run();
  EXPECT_EQ(seen, "data end file");
}

TEST(FdWatch, NeverCallsBackAfterDestruction) {
  Reactor reactor;
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
  Fd near(pair[0]);
  Fd far(pair[1]);
  bool called = false;
  {
    FdWatch watch(reactor, near.get());
    watch.on_readable([&] { called = true; });
    ASSERT_EQ(write(far.get(), "x", 1), 1);
  }
  Timer stop(reactor);
  stop.start(milliseconds(10), [&] { reactor.stop(); });
  reactor.run();
  EXPECT_FALSE(called);
}

TEST(SignalWatch, DeliversOnTheReactor) {
  Reactor reactor;
  int got = 0;
  SignalWatch watch(reactor, {SIGUSR1}, [&](int signal) {
    got = signal;
    reactor.stop();
  });
  reactor.post([] { raise(SIGUSR1); });
  reactor.run();
  EXPECT_EQ(got, SIGUSR1);
}

}  // namespace
}  // namespace cmcp::net
