#include "net/stream.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <thread>

#include "net/listener.h"

namespace cmcp::net {
namespace {

using std::chrono::milliseconds;

struct Pair {
  Pair() {
    int fds[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
    ours = Fd(fds[0]);
    theirs = Fd(fds[1]);
  }
  Fd ours;
  Fd theirs;
};

// Reads until end of file; never forever, because every stream under test ends.
std::string read_all(int fd) {
  std::string out;
  char buffer[4096];
  for (ssize_t n = 0; (n = ::read(fd, buffer, sizeof buffer)) > 0;) {
    out.append(buffer, static_cast<std::size_t>(n));
  }
  return out;
}

TEST(Stream, AHalfClosedPeerStillGetsItsAnswerInWholeAndInOrder) {
  Reactor reactor;
  Pair pair;
  std::string received;
  std::string expected;
  bool closed = false;
  std::optional<Stream> stream;
  Stream::Handlers handlers;
  handlers.data = [&](std::string_view bytes) { received.append(bytes); };
  handlers.end_of_input = [&] {
    for (int i = 0; i < 2000; ++i) {
      const std::string piece(static_cast<std::size_t>(i), static_cast<char>('a' + i % 26));
      expected += piece;
      stream->write(piece);
    }
    stream->finish();
  };
  handlers.closed = [&] {
    closed = true;
    reactor.stop();
  };
  stream.emplace(reactor, std::move(pair.ours), StreamOptions{}, std::move(handlers));
  stream->start();
  std::string answer;
  std::thread peer([&] {
    EXPECT_EQ(::send(pair.theirs.get(), "hello", 5, MSG_NOSIGNAL), 5);
    ::shutdown(pair.theirs.get(), SHUT_WR);
    answer = read_all(pair.theirs.get());
  });
  reactor.run();
  stream.reset();
  peer.join();
  EXPECT_TRUE(closed);
  EXPECT_EQ(received, "hello");
  EXPECT_EQ(answer, expected);
}

TEST(Stream, APeerThatDoesNotReadIsDisconnected) {
  Reactor reactor;
  Pair pair;
  std::optional<Stream> stream;
  Stream::Handlers handlers;
  handlers.closed = [&] { reactor.stop(); };
  StreamOptions options;
  options.max_queued_bytes = 1U << 20U;
  stream.emplace(reactor, std::move(pair.ours), options, std::move(handlers));
  stream->start();
  std::size_t accepted = 0;
  reactor.post([&] {
    for (; stream->open() && accepted < 1000; ++accepted) stream->write(std::string(65536, 'x'));
  });
  reactor.run();
  EXPECT_LT(accepted, 100U);
  EXPECT_EQ(stream->queued_bytes(), 0U);
}

TEST(Stream, APeerThatStopsReadingIsDisconnectedAfterTheStallTime) {
  Reactor reactor;
  Pair pair;
  std::optional<Stream> stream;
  Stream::Handlers handlers;
  handlers.closed = [&] { reactor.stop(); };
  StreamOptions options;
  options.write_stall = milliseconds(30);
  stream.emplace(reactor, std::move(pair.ours), options, std::move(handlers));
  stream->write(std::string(4U << 20U, 'x'));
  EXPECT_GT(stream->queued_bytes(), 0U);
  reactor.run();
  EXPECT_FALSE(stream->open());
}

TEST(Stream, APeerThatLeavesAfterHalfCloseIsNoticed) {
  Reactor reactor;
  Pair pair;
  std::optional<Stream> stream;
  Stream::Handlers handlers;
  handlers.end_of_input = [&] { pair.theirs.reset(); };
  handlers.closed = [&] { reactor.stop(); };
  stream.emplace(reactor, std::move(pair.ours), StreamOptions{}, std::move(handlers));
  stream->start();
  ::shutdown(pair.theirs.get(), SHUT_WR);
  reactor.run();
  EXPECT_FALSE(stream->open());
}

TEST(Listener, AcceptsOnBothLoopbackFamiliesAndNamesATakenPort) {
  Reactor reactor;
  auto first = Listener::open(reactor, "127.0.0.1", 0, [](Fd, Peer) {});
  ASSERT_TRUE(first.ok());
  EXPECT_EQ((*first)->address(), "127.0.0.1");
  EXPECT_NE((*first)->port(), 0);
  auto second = Listener::open(reactor, "127.0.0.1", (*first)->port(), [](Fd, Peer) {});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code(), ErrorCode::kBusy);
  EXPECT_NE(second.error().message().find(std::to_string((*first)->port())), std::string::npos);
  EXPECT_EQ(Listener::open(reactor, "203.0.113.7", 0, [](Fd, Peer) {}).error().code(),
            ErrorCode::kUnavailable);
  EXPECT_EQ(Listener::open(reactor, "no such host", 0, [](Fd, Peer) {}).error().code(),
            ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace cmcp::net
