#include "transport/line_splitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace cmcp::transport {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> split_in_pieces(const std::string& bytes, std::size_t piece,
                                         std::size_t limit) {
  std::vector<std::string> seen;
  LineSplitter splitter(limit, {[&](std::string_view line) { seen.emplace_back(line); },
                                [&] { seen.emplace_back("TOO LONG"); }});
  for (std::size_t at = 0; at < bytes.size(); at += piece)
    splitter.feed(std::string_view(bytes).substr(at, piece));
  splitter.finish();
  return seen;
}

TEST(LineSplitter, AnyPieceSize) {
  for (std::size_t piece = 1; piece < 40; ++piece) {
    EXPECT_THAT(split_in_pieces("one\ntwo\r\n\nlast", piece, 10),
                ElementsAre("one", "two", "", "last"));
    EXPECT_THAT(split_in_pieces("ab\n12345678901\nok\n", piece, 10),
                ElementsAre("ab", "TOO LONG", "ok"));
    EXPECT_THAT(split_in_pieces("1234567890\n12345678901234567890123", piece, 10),
                ElementsAre("1234567890", "TOO LONG"));
    EXPECT_THAT(split_in_pieces("", piece, 10), ElementsAre());
  }
}

}  // namespace
}  // namespace cmcp::transport
