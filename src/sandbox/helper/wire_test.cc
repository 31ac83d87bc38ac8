#include "sandbox/helper/wire.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "os/file.h"
#include "os/memfd.h"

namespace cmcp::sandbox::wire {
namespace {

TEST(Wire, SmallAndLargeBodiesAndDescriptorsArrive) {
  auto pair = std::move(*os::seqpacket_pair());
  const auto file = os::sealed_memfd("f", "content");
  const std::string large(3 * 1024 * 1024, 'L');
  ASSERT_TRUE(
      send(pair.first.get(), Type::kStart, "small", {file->get(), file->get()}, os::SendMode::kWait)
          .ok());
  ASSERT_TRUE(send(pair.first.get(), Type::kSetup, large, {file->get()}, os::SendMode::kWait).ok());
  auto small = receive(pair.second.get());
  ASSERT_TRUE(small.ok() && small->has_value());
  EXPECT_EQ((*small)->body, "small");
  EXPECT_EQ((*small)->fds.size(), 2u);
  auto big = receive(pair.second.get());
  ASSERT_TRUE(big.ok() && big->has_value());
  EXPECT_EQ((*big)->body, large);
  ASSERT_EQ((*big)->fds.size(), 1u);
  EXPECT_EQ(*os::read_all((*big)->fds[0].get(), 100), "content");
  pair.first.reset();
  auto end = receive(pair.second.get());
  ASSERT_TRUE(end.ok());
  EXPECT_FALSE(end->has_value());
}

TEST(Wire, MalformedMessagesAreRefused) {
  auto pair = std::move(*os::seqpacket_pair());
  const auto refuse = [&](std::string_view bytes, const std::vector<int>& fds) {
    ASSERT_TRUE(os::send_message(pair.first.get(), bytes, fds, os::SendMode::kWait).ok());
    const auto got = receive(pair.second.get());
    ASSERT_FALSE(got.ok());
    EXPECT_EQ(got.error().code(), ErrorCode::kProtocol);
  };
  refuse("x", {});
  refuse(std::string("\x00\x00", 2), {});
  refuse(std::string("\x63\x00", 2), {});
  refuse(std::string("\x01\x01", 2), {});                 // body in a file, but no file
  refuse(std::string("\x01\x02", 2), {});                 // no such place for a body
  refuse(std::string(kMaxInlineBody + 100, '\x01'), {});  // cut off
  const Fd unsealed(::memfd_create("u", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  refuse(std::string("\x01\x01", 2), {unsealed.get()});
  const auto directory = os::open_at(AT_FDCWD, "/", O_RDONLY);
  refuse(std::string("\x01\x01", 2), {directory->get()});
}

TEST(Wire, EndedComesBackTheSame) {
  Ended ended;
  ended.run = 5;
  ended.kind = Ended::Kind::kKilled;
  ended.reason = KillReason::kMemory;
  ended.wait_status = 9;
  ended.error = -1;
  ended.failure = "why";
  ended.times = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const auto copy = decode_ended(encode(ended));
  ASSERT_TRUE(copy.ok());
  EXPECT_EQ(encode(*copy), encode(ended));
  EXPECT_EQ(copy->error, -1);
  EXPECT_EQ(copy->times[8], 9u);
}

}  // namespace
}  // namespace cmcp::sandbox::wire
