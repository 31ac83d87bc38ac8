#include "base/strings.h"

#include <gtest/gtest.h>

namespace cmcp {
namespace {

TEST(Strings, SplitList) {
  EXPECT_EQ(split_list(" ls, cat ,,grep "), (std::vector<std::string>{"ls", "cat", "grep"}));
  EXPECT_TRUE(split_list("").empty());
  EXPECT_EQ(split("a::b", ':').size(), 3U);
}

TEST(Strings, ParseIntIsExact) {
  EXPECT_EQ(parse_int("-12"), -12);
  for (const char* bad : {"", " 1", "1 ", "0x1", "1.0", "+1", "99999999999999999999"}) {
    EXPECT_FALSE(parse_int(bad).has_value()) << bad;
  }
}

TEST(Strings, NearestOnlyWhenNear) {
  const std::vector<std::string> names{"command", "working_dir", "timeout"};
  EXPECT_EQ(nearest("comand", names), "command");
  EXPECT_EQ(nearest("workdir", names), "");
  EXPECT_EQ(nearest("time_out", names), "timeout");
}

TEST(Strings, Printable) {
  EXPECT_EQ(printable("a\n\xff"), "a\\x0a\\xff");
  EXPECT_EQ(printable("abcdef", 3), "abc…");
}

}  // namespace
}  // namespace cmcp
