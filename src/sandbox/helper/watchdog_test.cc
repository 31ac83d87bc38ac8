#include "sandbox/helper/watchdog.h"

#include <gtest/gtest.h>

namespace cmcp::sandbox {
namespace {

TEST(Watchdog, SumsEachSandboxOverItsTree) {
  const std::vector<os::ProcessSample> samples = {
      {1, 0, 900, 900}, {10, 1, 1, 100},  {11, 10, 2, 200}, {12, 11, 3, 300},
      {20, 1, 5, 500},  {21, 20, 6, 600}, {30, 1, 7, 7}};
  const auto usage = usage_by_sandbox(samples, {10, 20});
  ASSERT_EQ(usage.size(), 2u);
  EXPECT_EQ(usage.at(10).resident_bytes, 600u);
  EXPECT_EQ(usage.at(10).processes, (std::vector<pid_t>{10, 11, 12}));
  EXPECT_EQ(usage.at(20).resident_bytes, 1100u);
  EXPECT_GT(usage.at(20).cpu_ms, usage.at(10).cpu_ms);
}

TEST(Watchdog, LoopsAndUnknownParentsEnd) {
  const std::vector<os::ProcessSample> samples = {{5, 6, 1, 1}, {6, 5, 1, 1}, {7, 99, 1, 1}};
  EXPECT_EQ(usage_by_sandbox(samples, {10}).at(10).resident_bytes, 0u);
}

TEST(Watchdog, ManySocketsCountAsMemory) {
  EXPECT_EQ(socket_memory(0), 0u);
  EXPECT_EQ(socket_memory(100), 0u);
  EXPECT_GT(socket_memory(2000), 256u * 1024 * 1024);
}

}  // namespace
}  // namespace cmcp::sandbox
