#include "transport/output_queue.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "base/fd.h"

namespace cmcp::transport {
namespace {

enum class Kind { kPipe, kSocket };

struct Ends {
  Fd read;
  Fd write;
};

Ends make_ends(Kind kind) {
  int fds[2] = {-1, -1};
  const int failure = kind == Kind::kPipe
                          ? ::pipe2(fds, O_CLOEXEC)
                          : ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds);
  EXPECT_EQ(failure, 0);
  return {Fd(fds[0]), Fd(fds[1])};
}

class OutputQueueKinds : public ::testing::TestWithParam<Kind> {
 protected:
  void SetUp() override { std::signal(SIGPIPE, SIG_IGN); }
};

TEST_P(OutputQueueKinds, AllBytesArriveInOrder) {
  net::Reactor reactor;
  const Ends ends = make_ends(GetParam());
  std::string sent;
  std::string received;
  {
    bool drained = false;
    OutputQueue queue(reactor, ends.write.get(), 64U << 20U,
                      {[&] { drained = true; }, [](const std::string&) { FAIL(); }});
    for (int i = 0; i < 200; ++i) {
      const std::string part(static_cast<std::size_t>(i) * 173U + 1U,
                             static_cast<char>('a' + i % 26));
      sent += part;
      queue.write(part);
    }
    EXPECT_FALSE(queue.empty()) << "the kernel's buffer should not hold this";
    drained = false;
    net::FdWatch watch(reactor, ends.read.get());
    std::function<void()> read_more = [&] {
      std::array<char, 10'000> buffer;
      const ssize_t count = ::read(ends.read.get(), buffer.data(), buffer.size());
      if (count > 0) received.append(buffer.data(), static_cast<std::size_t>(count));
      if (received.size() >= sent.size()) return reactor.stop();
      watch.on_readable(read_more);
    };
    watch.on_readable(read_more);
    reactor.run();
    EXPECT_TRUE(drained);
    EXPECT_TRUE(queue.empty());
  }
  EXPECT_EQ(received, sent);
}

TEST_P(OutputQueueKinds, AReaderThatIsGone) {
  net::Reactor reactor;
  Ends ends = make_ends(GetParam());
  ends.read.reset();
  std::string reason;
  OutputQueue queue(reactor, ends.write.get(), 1000, {nullptr, [&](const std::string& text) {
                                                        reason = text;
                                                        reactor.stop();
                                                      }});
  queue.write("x");
  queue.write("y");
  EXPECT_TRUE(reason.empty()) << "not from inside write()";
  reactor.run();
  EXPECT_NE(reason.find("cannot be written"), std::string::npos);
}

TEST_P(OutputQueueKinds, AReaderThatDoesNotRead) {
  net::Reactor reactor;
  const Ends ends = make_ends(GetParam());
  int failures = 0;
  OutputQueue queue(reactor, ends.write.get(), 100'000, {nullptr, [&](const std::string&) {
                                                           ++failures;
                                                           reactor.stop();
                                                         }});
  queue.write(std::string(1'000'000, 'x'));  // above the bound by itself: taken
  EXPECT_FALSE(queue.empty());
  queue.write("y");
  queue.write("z");
  reactor.run();
  EXPECT_EQ(failures, 1);
}

INSTANTIATE_TEST_SUITE_P(Kinds, OutputQueueKinds, ::testing::Values(Kind::kPipe, Kind::kSocket),
                         [](const auto& kind) {
                           return kind.param == Kind::kPipe ? "pipe" : "socket";
                         });

}  // namespace
}  // namespace cmcp::transport
