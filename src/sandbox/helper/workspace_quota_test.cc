#include "sandbox/helper/workspace_quota.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace cmcp::sandbox {
namespace {

constexpr std::uint64_t kMiB = 1024 * 1024;
constexpr QuotaLimit kQuota{100 * kMiB, 2000};

TreeUsage holds(std::uint64_t bytes, std::uint64_t files = 10, bool changed = false) {
  TreeUsage usage;
  usage.bytes = bytes;
  usage.files = files;
  usage.changed = changed;
  return usage;
}

QuotaState begun_with(const TreeUsage& usage) {
  QuotaState state;
  state.allowed = kQuota;
  state.free = {1000 * kMiB, 100000};
  EXPECT_FALSE(state.take(usage, state.free, kQuota, true));
  return state;
}

TEST(QuotaState, AQuotaHasAFileForEachFourKilobytes) {
  EXPECT_FALSE(quota_of(0).enabled());
  EXPECT_EQ(quota_of(kMiB).files, 1024u);
  EXPECT_EQ(quota_of(1024 * kMiB).files, 262144u);
}

TEST(QuotaState, IsSuspiciousOnlyWhenMoreIsGoneThanWasLeft) {
  const QuotaState state = begun_with(holds(60 * kMiB, 500));
  EXPECT_EQ(state.bytes_left(), 40 * kMiB);
  EXPECT_FALSE(state.suspicious({960 * kMiB, 100000}));
  EXPECT_TRUE(state.suspicious({959 * kMiB, 100000}));
  EXPECT_FALSE(state.suspicious({1000 * kMiB, 98500}));
  EXPECT_TRUE(state.suspicious({1000 * kMiB, 98499}));
  EXPECT_FALSE(state.suspicious({2000 * kMiB, 200000}));  // somebody deleted
}

TEST(QuotaState, CondemnsGrowthBeyondTheQuotaInBytesAndInFiles) {
  QuotaState state = begun_with(holds(kMiB));
  EXPECT_FALSE(state.take(holds(100 * kMiB), {900 * kMiB, 100000}, kQuota, false));
  EXPECT_TRUE(state.take(holds(101 * kMiB), {899 * kMiB, 100000}, kQuota, false));
  EXPECT_EQ(state.bytes_left(), 0u);
  EXPECT_TRUE(begun_with(holds(0)).take(holds(0, 2001), {}, kQuota, false));
  EXPECT_FALSE(begun_with(holds(0)).take(holds(0, 2001), {}, kQuota, true));  // nobody runs
}

TEST(QuotaState, AFullWorkspaceMayShrinkAndIsCondemnedWhenItGrows) {
  QuotaState state = begun_with(holds(500 * kMiB));
  EXPECT_EQ(state.bytes_left(), kSlackBytes);
  EXPECT_FALSE(state.take(holds(400 * kMiB), {}, kQuota, false));
  EXPECT_FALSE(state.take(holds(500 * kMiB + kSlackBytes), {}, kQuota, false));
  EXPECT_TRUE(state.take(holds(501 * kMiB + kSlackBytes), {}, kQuota, false));
  // What stands there afterwards is no new allowance.
  EXPECT_FALSE(state.take(holds(501 * kMiB + kSlackBytes), {}, kQuota, true));
  EXPECT_TRUE(state.take(holds(502 * kMiB + kSlackBytes), {}, kQuota, false));
}

TEST(QuotaState, ATreeThatIsMovedAboutKeepsItsOldCountAndIsCondemnedInTheEnd) {
  QuotaState state = begun_with(holds(90 * kMiB));
  int patience = 0;
  while (!state.take(holds(kMiB, 10, true), {500 * kMiB, 1}, kQuota, false)) {
    ASSERT_LT(++patience, 20);
    EXPECT_EQ(state.usage.bytes, 90 * kMiB);
    EXPECT_EQ(state.free.bytes, 1000 * kMiB);
  }
  EXPECT_GT(patience, 3);
  // A quiet count in between is believed.
  EXPECT_FALSE(state.take(holds(5 * kMiB), {500 * kMiB, 1}, kQuota, false));
  EXPECT_EQ(state.usage.bytes, 5 * kMiB);
}

// The real thing on a real directory: this process is the run.
class WorkspaceQuotaTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = "/var/tmp/cmcp-quota-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    path_ = pattern;
    root_.reset(::open(path_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    proc_.reset(::open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC));
  }
  void TearDown() override { std::filesystem::remove_all(path_); }

  // As the launcher's loop does it, until a count has been taken.
  static std::optional<pid_t> count_once(WorkspaceQuota& quota, const std::vector<pid_t>& inits) {
    while (quota.descriptor() < 0) {
      (void)quota.look(inits);
      if (quota.descriptor() < 0) std::this_thread::sleep_until(quota.next_look(true));
    }
    pollfd wait{quota.descriptor(), POLLIN, 0};
    EXPECT_EQ(::poll(&wait, 1, 60000), 1);
    return quota.look(inits);
  }
  void write(const std::string& name, std::size_t size) const {
    std::ofstream file(path_ + "/" + name);
    file << std::string(size, 'x') << std::flush;
  }

  std::string path_;
  Fd root_;
  Fd proc_;
};

TEST_F(WorkspaceQuotaTest, FindsTheRunThatFillsAWorkspace) {
  WorkspaceQuota quota(quota_of(4 * kMiB), {root_.get()}, proc_.get());
  EXPECT_EQ(count_once(quota, {}), std::nullopt);
  EXPECT_EQ(quota.descriptor(), -1);
  EXPECT_EQ(quota.file_size(1024 * kMiB, 0), 4 * kMiB);
  EXPECT_EQ(quota.file_size(kMiB, 0), kMiB);
  const std::vector<pid_t> inits{::getpid()};
  (void)quota.look(inits);  // the run begins
  write("big", 12 * kMiB);
  std::optional<pid_t> condemned;
  for (int i = 0; i < 4 && !condemned; ++i) condemned = count_once(quota, inits);
  EXPECT_EQ(condemned, ::getpid());
  EXPECT_EQ(quota.file_size(1024 * kMiB, 0), 12 * kMiB);  // it may be written again, not grow
}

TEST_F(WorkspaceQuotaTest, FindsManyEmptyFiles) {
  WorkspaceQuota quota({1024 * kMiB, 300}, {root_.get()}, proc_.get());
  EXPECT_EQ(count_once(quota, {}), std::nullopt);
  const std::vector<pid_t> inits{::getpid()};
  (void)quota.look(inits);
  write("something", 2 * kMiB);
  for (int i = 0; i < 1000; ++i) write("f" + std::to_string(i), 0);
  std::optional<pid_t> condemned;
  for (int i = 0; i < 4 && !condemned; ++i) condemned = count_once(quota, inits);
  EXPECT_EQ(condemned, ::getpid());
}

}  // namespace
}  // namespace cmcp::sandbox
