#include "managers/run_common/environment_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cmcp::managers {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(EnvironmentRules, PlainVariablesBecomeEntries) {
  EXPECT_THAT(environment_entries({{"A", "1"}, {"lower_case2", "x=y\nz"}, {"EMPTY", ""}}).value(),
              ElementsAre("A=1", "lower_case2=x=y\nz", "EMPTY="));
}

TEST(EnvironmentRules, LoaderAndStartUpHooksAreRefusedByName) {
  for (const char* name : {"LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "PYTHONPATH",
                           "PYTHONSTARTUP", "PYTHONHOME", "BASH_ENV", "ENV", "GCONV_PATH",
                           "GLIBC_TUNABLES", "SHELLOPTS", "NODE_OPTIONS", "PERL5OPT"}) {
    const auto refused = environment_entries({{"FINE", "1"}, {name, "x"}});
    ASSERT_FALSE(refused.ok()) << name;
    EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_THAT(refused.error().message(), HasSubstr(name));
  }
  EXPECT_FALSE(is_startup_hook("ENVIRONMENT"));
  EXPECT_FALSE(is_startup_hook("OLD_PRELOAD"));
  EXPECT_FALSE(is_startup_hook("PATH"));
}

TEST(EnvironmentRules, BadNamesAndValuesAreRefused) {
  for (const char* name : {"", "1A", "A-B", "A=B", "A B", "BASH_FUNC_ls%%", "\xC3\xA4"}) {
    EXPECT_FALSE(environment_entries({{name, "x"}}).ok()) << name;
  }
  EXPECT_FALSE(environment_entries({{"A", std::string("a\0b", 3)}}).ok());
  EXPECT_FALSE(environment_entries({{"A", std::string(200000, 'x')}}).ok());
  EXPECT_FALSE(environment_entries(Environment(129, {"A", "x"})).ok());
}

}  // namespace
}  // namespace cmcp::managers
