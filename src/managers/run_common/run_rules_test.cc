#include "managers/run_common/run_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace cmcp::managers {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

TEST(RunRules, TimeoutDefaultsAndIsNeverCut) {
  const TimeoutRule rule{std::chrono::seconds(30), std::chrono::seconds(120)};
  EXPECT_EQ(resolve_timeout({}, rule).value(), milliseconds(30000));
  EXPECT_EQ(resolve_timeout(0.5, rule).value(), milliseconds(500));
  EXPECT_EQ(resolve_timeout(120, rule).value(), milliseconds(120000));
  for (const double bad : {0.0, -1.0, 120.5, 1e300, std::nan(""), HUGE_VAL}) {
    const auto refused = resolve_timeout(bad, rule);
    ASSERT_FALSE(refused.ok()) << bad;
    EXPECT_THAT(refused.error().message(), HasSubstr("at most 120"));
  }
}

TEST(RunRules, WorkingDirHasThreeSpellings) {
  for (const char* text : {"a/b", "/a/b", "/workspace/a/b", "/workspace/a/b/"}) {
    EXPECT_EQ(resolve_working_dir(text, {}).value(), "a/b");
  }
  for (const char* text : {"", "/", "/workspace", "/workspace/"})
    EXPECT_EQ(resolve_working_dir(text, {}).value(), "");
  EXPECT_EQ(resolve_working_dir("/workspace2", {}).value(), "workspace2");
}

TEST(RunRules, WorkingDirOutsideIsRefusedBeforeTheCheck) {
  int calls = 0;
  const WorkingDirCheck check = [&](const std::string& relative) -> Result<std::string> {
    ++calls;
    return "real of " + relative;
  };
  for (const char* text : {"..", "../x", "/workspace/../etc", "a/../../b"}) {
    const auto refused = resolve_working_dir(text, check);
    ASSERT_FALSE(refused.ok()) << text;
    EXPECT_THAT(refused.error().message(), HasSubstr("outside the workspace"));
  }
  EXPECT_FALSE(resolve_working_dir(std::string("a\0b", 3), check).ok());
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(resolve_working_dir("a/../b", check).value(), "real of a/../b");
  EXPECT_EQ(calls, 1);
}

TEST(RunRules, TheChecksErrorNamesTheDirectoryAsGiven) {
  const WorkingDirCheck check = [](const std::string&) -> Result<std::string> {
    return Error(ErrorCode::kNotFound, "there is no such directory.");
  };
  const auto refused = resolve_working_dir("/workspace/gone", check);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message(),
            "working_dir \"/workspace/gone\": there is no such directory.");
}

}  // namespace
}  // namespace cmcp::managers
