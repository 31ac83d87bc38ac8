#include "managers/file/line_page.h"

#include <algorithm>

#include "base/utf8.h"

namespace cmcp::file {
namespace {

std::size_t line_length(std::string_view text) {
  const std::size_t end = text.find('\n');
  return end == std::string_view::npos ? text.size() : end + 1;
}

std::uint64_t count_lines(std::string_view text) {
  const auto ends = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
  return ends + (!text.empty() && text.back() != '\n' ? 1 : 0);
}

// The first `chars` characters of `text`, which has more than these.
std::string_view first_characters(std::string_view text, std::size_t chars) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const bool begins = (static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80U;
    if (begins && chars-- == 0) break;
  }
  return text.substr(0, at);
}

}  // namespace

LinePage page_of(std::string_view text, const LineRange& range) {
  LinePage page;
  page.total_lines = count_lines(text);
  std::string_view rest = text;
  for (std::uint64_t skipped = 0; skipped < range.offset && !rest.empty(); ++skipped) {
    rest.remove_prefix(line_length(rest));
  }
  if (rest.empty()) {
    if (range.offset > 0) {
      page.hint = "offset " + std::to_string(range.offset) + " is past the end: the file has " +
                  std::to_string(page.total_lines) + " lines";
    }
    return page;
  }
  const bool bounded = !range.limit && range.max_chars > 0;
  std::uint64_t lines = 0;
  std::size_t taken = 0;
  std::size_t chars = 0;
  while (taken < rest.size() && (!range.limit || lines < *range.limit)) {
    const std::string_view line = rest.substr(taken, line_length(rest.substr(taken)));
    const std::size_t length = bounded ? utf8::length(line) : 0;
    if (bounded && chars + length > range.max_chars) {
      if (lines == 0) {
        page.text = first_characters(rest, range.max_chars);
        page.truncated = true;
        page.next_offset = range.offset;
        page.hint = "Line " + std::to_string(range.offset) + " (counted from 0) has " +
                    std::to_string(length) + " characters and is cut after " +
                    std::to_string(range.max_chars) + "; offset: " + std::to_string(range.offset) +
                    " with limit: 1 returns it whole";
        return page;
      }
      break;
    }
    chars += length;
    taken += line.size();
    ++lines;
  }
  page.text = rest.substr(0, taken);
  page.truncated = taken < rest.size();
  if (page.truncated) page.next_offset = range.offset + lines;
  return page;
}

}  // namespace cmcp::file
