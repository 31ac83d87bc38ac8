#include "mcp/progress.h"

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace cmcp::mcp {
namespace {

TEST(ReadableLine, Table) {
  struct Row {
    std::string bytes;
    std::string line;
  };
  const Row rows[] = {
      {"plain", "plain"},
      {"", ""},
      {"\x1b[1;31mred\x1b[0m end  ", "red end"},
      {"\x1b]0;title\x07text", "text"},
      {"\x1b]8;;http://x\x1b\\link", "link"},
      {"cut \x1b[3", "cut"},
      {"\x1b", ""},
      {"a\tb\bc", "a bc"},
      {"bad \xFF byte", "bad \xEF\xBF\xBD byte"},
      {"nel \xC2\x85!", "nel !"},
      {"\xC3\xA9t\xC3\xA9", "\xC3\xA9t\xC3\xA9"},
  };
  for (const Row& row : rows) EXPECT_EQ(readable_line(row.bytes), row.line) << row.bytes;
}

TEST(ReadableLine, IsCutBetweenCharacters) {
  std::string bytes;
  for (int i = 0; i < 5000; ++i) bytes += "\xE2\x82\xAC";
  const std::string line = readable_line(bytes);
  EXPECT_TRUE(utf8::is_valid(line));
  EXPECT_EQ(utf8::length(line), 200U);
}

}  // namespace
}  // namespace cmcp::mcp
