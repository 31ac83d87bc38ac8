// LinePage: the part of a text that file_read returns: whole lines from an offset, within a budget,
// never with a hole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cmcp::file {

struct LineRange {
  std::uint64_t offset = 0;  // lines to skip
  std::optional<std::uint64_t> limit =
      std::nullopt;           // lines to return; the budget does not apply then
  std::size_t max_chars = 0;  // budget in characters; 0: none
};

struct LinePage {
  std::string_view text;  // lines with their endings
  std::uint64_t total_lines = 0;
  bool truncated = false;  // more follows
  std::optional<std::uint64_t>
      next_offset;   // where it goes on; the same line when that one was cut
  std::string hint;  // what to do when a line was cut or the offset is past the end; else ""
};

// A line ends after "\n"; a text that does not end in one has a last line all the same. `text` is
// well-formed UTF-8.
LinePage page_of(std::string_view text, const LineRange& range);

}  // namespace cmcp::file
