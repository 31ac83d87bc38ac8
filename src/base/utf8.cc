#include "base/utf8.h"

namespace cmcp::utf8 {
namespace {

struct Step {
  std::size_t length;  // bytes consumed
  bool valid;
  bool truncated;  // ill-formed only because the text ends
};

// Reads one character or one maximal ill-formed subsequence at the start of `text` (not empty).
Step step(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {1, true, false};
  std::size_t need = 0;
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    need = 1;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    need = 2;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    need = 3;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return {1, false, false};
  }
  for (std::size_t i = 1; i <= need; ++i) {
    if (i >= text.size()) return {i, false, true};
    const unsigned char next = byte(i);
    if (next < low || next > high) return {i, false, false};
    low = 0x80;
    high = 0xBF;
  }
  return {need + 1, true, false};
}

}  // namespace

bool is_valid(std::string_view text) {
  while (!text.empty()) {
    const Step s = step(text);
    if (!s.valid) return false;
    text.remove_prefix(s.length);
  }
  return true;
}

Sanitized sanitize(std::string_view bytes) {
  Sanitized out{{}, 0};
  out.text.reserve(bytes.size());
  while (!bytes.empty()) {
    const Step s = step(bytes);
    if (s.valid) {
      out.text.append(bytes.substr(0, s.length));
    } else {
      out.text.append("\xEF\xBF\xBD");
      out.invalid_bytes += s.length;
    }
    bytes.remove_prefix(s.length);
  }
  return out;
}

std::size_t cut_point(std::string_view text, std::size_t limit) {
  if (limit >= text.size()) return text.size();
  std::size_t back = 0;
  // A character has at most three continuation bytes: look for its lead byte just before the cut.
  while (back < 3 && back < limit &&
         (static_cast<unsigned char>(text[limit - back]) & 0xC0) == 0x80) {
    ++back;
  }
  const std::size_t start = limit - back;
  const Step s = step(text.substr(start));
  return s.valid && start + s.length > limit ? start : limit;
}

std::size_t incomplete_suffix(std::string_view text) {
  for (std::size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if ((byte & 0xC0) == 0x80) continue;
    const Step s = step(text.substr(text.size() - back));
    return s.truncated ? back : 0;
  }
  return 0;
}

std::size_t length(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1U : 0U;
  return count;
}

void append(std::string& out, char32_t code_point) {
  const auto put = [&](char32_t bits) { out.push_back(static_cast<char>(bits)); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | (code_point >> 6));
    put(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    put(0xE0 | (code_point >> 12));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  } else {
    put(0xF0 | (code_point >> 18));
    put(0x80 | ((code_point >> 12) & 0x3F));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  }
}

}  // namespace cmcp::utf8
