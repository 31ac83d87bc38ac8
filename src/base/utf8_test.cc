#include "base/utf8.h"

#include <gtest/gtest.h>

namespace cmcp::utf8 {
namespace {

TEST(Utf8, ValidatesByTable37) {
  EXPECT_TRUE(is_valid("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"));
  EXPECT_FALSE(is_valid("\xC0\xAF"));          // overlong
  EXPECT_FALSE(is_valid("\xED\xA0\x80"));      // surrogate
  EXPECT_FALSE(is_valid("\xF4\x90\x80\x80"));  // above U+10FFFF
  EXPECT_FALSE(is_valid("\xE2\x82"));
}

TEST(Utf8, SanitizeKeepsNeighboursAndCounts) {
  const Sanitized s = sanitize(std::string_view("start\n\xff\xfe\x85mid\x00nul\nend\n", 22));
  EXPECT_EQ(s.invalid_bytes, 3U);
  EXPECT_EQ(s.text, std::string("start\n\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDmid\0nul\nend\n", 28));
  EXPECT_EQ(sanitize("\xE2\x82").text, "\xEF\xBF\xBD");  // one replacement for a maximal subpart
}

TEST(Utf8, CutsAtCharacterBorders) {
  const std::string text =
      "a\xE2\x82\xAC"
      "b";
  EXPECT_EQ(cut_point(text, 1), 1U);
  EXPECT_EQ(cut_point(text, 2), 1U);
  EXPECT_EQ(cut_point(text, 3), 1U);
  EXPECT_EQ(cut_point(text, 4), 4U);
  EXPECT_EQ(cut_point(text, 99), 5U);
  EXPECT_EQ(cut_point("\x80\x80\x80\x80", 2), 2U);
}

TEST(Utf8, KnowsIncompleteSuffix) {
  EXPECT_EQ(incomplete_suffix("a\xE2\x82"), 2U);
  EXPECT_EQ(incomplete_suffix("a\xE2\x82\xAC"), 0U);
  EXPECT_EQ(incomplete_suffix("a\xFF"), 0U);
  EXPECT_EQ(incomplete_suffix("\xF0\x9F\x98"), 3U);
}

TEST(Utf8, AppendsAllLengths) {
  std::string out;
  for (const char32_t c : {U'a', U'\u00e9', U'\u20ac', U'\U0001F600'}) append(out, c);
  EXPECT_EQ(out, "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  EXPECT_EQ(length(out), 4U);
}

}  // namespace
}  // namespace cmcp::utf8
