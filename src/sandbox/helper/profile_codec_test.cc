#include "sandbox/helper/profile_codec.h"

#include <gtest/gtest.h>

#include <random>

#include "sandbox/helper/wire.h"

namespace cmcp::sandbox {
namespace {

Profile full_profile() {
  Profile profile;
  profile.name = "bash";
  profile.root.directories = {{"/a"}, {"/a/b"}};
  profile.root.files = {{{"/etc/passwd"}, std::string("x\0y", 3), 0644}};
  profile.root.symlinks = {{{"/bin"}, "usr/bin"}};
  profile.root.binds = {{{"/usr"}, {"/usr"}, false, true}};
  profile.root.masks = {{"/usr/lib/python3/dist-packages"}};
  profile.root.tmpfs = {{{"/tmp"}, Bytes::mebi(64), 1000, 01777, true}};
  profile.root.proc = false;
  profile.landlock = {{{"/usr"}, Access::kReadExecute}, {{"/tmp"}, Access::kReadWriteExecute}};
  profile.seccomp = {BPF_STMT(BPF_RET | BPF_K, 0x7fff0000U)};
  profile.limits.cpu_seconds = 7;
  profile.environment = {"A=1", "B="};
  profile.workspace_exec = false;
  profile.hostname = "h";
  return profile;
}

std::string encoded(const Profile& profile) {
  ByteWriter writer;
  encode(writer, profile);
  return writer.take();
}

wire::Setup full_setup() {
  wire::Setup setup;
  setup.max_runs = 3;
  setup.server_uid = 12;
  setup.without_idmap = true;
  setup.deny_user_namespaces = true;
  setup.roots = {{{"/srv/w"}, "one", true}};
  setup.profiles = {full_profile(), {}};
  return setup;
}

TEST(ProfileCodec, ComesBackTheSame) {
  const std::string bytes = encoded(full_profile());
  ByteReader reader(bytes);
  const Profile copy = decode_profile(reader);
  EXPECT_TRUE(reader.complete());
  EXPECT_EQ(encoded(copy), bytes);
  EXPECT_EQ(copy.root.files[0].content, std::string("x\0y", 3));
  EXPECT_EQ(copy.root.tmpfs[0].size, Bytes::mebi(64));
  EXPECT_EQ(copy.landlock[1].access, Access::kReadWriteExecute);
  EXPECT_EQ(copy.seccomp[0].k, 0x7fff0000U);
  EXPECT_FALSE(copy.workspace_exec);
}

TEST(ProfileCodec, SetupComesBackTheSame) {
  const std::string bytes = wire::encode(full_setup());
  const auto copy = wire::decode_setup(bytes);
  ASSERT_TRUE(copy.ok());
  EXPECT_EQ(wire::encode(*copy), bytes);
  EXPECT_EQ(copy->profiles.size(), 2u);
  EXPECT_TRUE(copy->roots[0].read_only);
}

TEST(ProfileCodec, EveryTruncationAndEveryExtraByteFails) {
  const std::string bytes = wire::encode(full_setup());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(wire::decode_setup(std::string_view(bytes).substr(0, size)).ok()) << size;
  }
  EXPECT_FALSE(wire::decode_setup(bytes + "x").ok());
}

TEST(ProfileCodec, HostileBytesNeverCrash) {
  const std::string good = wire::encode(full_setup());
  std::mt19937 random(4711);
  std::size_t refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = good;
    const std::size_t changes = 1 + random() % 4;
    for (std::size_t i = 0; i < changes; ++i)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    if (!wire::decode_setup(bytes).ok()) ++refused;
    (void)wire::decode_start(bytes);
    (void)wire::decode_ended(bytes);
    (void)wire::decode_facts(bytes);
    (void)wire::decode_kill(bytes);
  }
  EXPECT_GT(refused, 1000u);
}

TEST(ProfileCodec, ALyingCountReservesNothing) {
  ByteWriter writer;
  writer.number(std::uint32_t{0xffffffff});
  const std::string bytes = writer.take();
  ByteReader reader(bytes);
  EXPECT_TRUE(reader.texts().empty());
  EXPECT_TRUE(reader.failed());
}

}  // namespace
}  // namespace cmcp::sandbox
