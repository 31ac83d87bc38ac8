#include "managers/file/glob.h"

#include <algorithm>

#include "base/strings.h"

namespace cmcp::file {
namespace {

std::size_t character_length(std::string_view text) {
  std::size_t length = 1;
  while (length < text.size() && length < 4 &&
         (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U)
    ++length;
  return length;
}

// What one step of a pattern (not `*`) takes: its own length and whether it fits the character.
struct Unit {
  std::size_t length;
  bool fits;
};

// `pattern` begins with "[". Characters are compared as UTF-8 bytes, whose order is that of code
// points.
Unit set_unit(std::string_view pattern, std::string_view character) {
  std::size_t at = 1;
  const bool negated = at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^');
  if (negated) ++at;
  const std::size_t first = at;
  bool found = false;
  while (at < pattern.size() && (pattern[at] != ']' || at == first)) {
    const std::string_view low = pattern.substr(at, character_length(pattern.substr(at)));
    at += low.size();
    std::string_view high = low;
    if (at + 1 < pattern.size() && pattern[at] == '-' && pattern[at + 1] != ']') {
      high = pattern.substr(at + 1, character_length(pattern.substr(at + 1)));
      at += 1 + high.size();
    }
    found = found || (low <= character && character <= high);
  }
  if (at >= pattern.size()) return {1, character == "["};
  return {at + 1, found != negated};
}

Unit unit(std::string_view pattern, std::string_view character) {
  if (pattern.front() == '?') return {1, true};
  if (pattern.front() == '[') return set_unit(pattern, character);
  const std::string_view own = pattern.substr(0, character_length(pattern));
  return {own.size(), own == character};
}

// One segment against one name. Going back to the last star only keeps it O(pattern × name).
bool segment_matches(std::string_view pattern, std::string_view name) {
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_name = 0;
  while (n < name.size()) {
    const std::string_view character = name.substr(n, character_length(name.substr(n)));
    if (p < pattern.size() && pattern[p] == '*') {
      star = ++p;
      star_name = n;
      continue;
    }
    const Unit step = p < pattern.size() ? unit(pattern.substr(p), character) : Unit{0, false};
    if (step.fits) {
      p += step.length;
      n += character.size();
    } else if (star != std::string_view::npos) {
      p = star;
      star_name += character_length(name.substr(star_name));
      n = star_name;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace

Glob::Glob(std::string_view pattern) : by_name_(pattern.find('/') == std::string_view::npos) {
  segments_ = split(pattern, '/');
  std::erase_if(segments_,
                [](const std::string& segment) { return segment.empty() || segment == "."; });
}

bool Glob::matches(std::string_view name, std::string_view path) const {
  if (segments_.empty()) return false;
  if (by_name_) return segment_matches(segments_.front(), name);
  const std::vector<std::string> parts = split(path, '/');
  // reachable[i]: the segments so far can match the first i parts.
  std::vector<char> reachable(parts.size() + 1, 0);
  reachable[0] = 1;
  for (const std::string& segment : segments_) {
    std::vector<char> next(parts.size() + 1, 0);
    for (std::size_t i = 0; i <= parts.size(); ++i) {
      if (segment == "**") {
        next[i] = static_cast<char>(reachable[i] != 0 || (i > 0 && next[i - 1] != 0));
      } else if (i > 0 && reachable[i - 1] != 0) {
        next[i] = static_cast<char>(segment_matches(segment, parts[i - 1]));
      }
    }
    reachable = std::move(next);
  }
  return reachable.back() != 0;
}

}  // namespace cmcp::file
