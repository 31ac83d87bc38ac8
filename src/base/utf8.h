// UTF-8 (RFC 3629, well-formed as in Unicode table 3-7) for untrusted bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cmcp::utf8 {

// True when `text` is well-formed: no overlong forms, no surrogates, nothing above U+10FFFF.
bool is_valid(std::string_view text);

struct Sanitized {
  std::string text;             // well-formed
  std::uint64_t invalid_bytes;  // how many input bytes were replaced
};
// Replaces each maximal ill-formed subsequence by one U+FFFD (Unicode 15, 3.9 "best practice").
Sanitized sanitize(std::string_view bytes);

// The largest n <= limit (bytes) at which `text` can be cut without splitting a character.
// Ill-formed text is cut as if each bad byte were a character.
std::size_t cut_point(std::string_view text, std::size_t limit);

// The number of bytes at the end of `text` that begin a character which is not complete yet (0 to
// 3).
std::size_t incomplete_suffix(std::string_view text);

// The number of code points of well-formed text.
std::size_t length(std::string_view text);

// Appends `code_point` (<= 0x10FFFF, no surrogate) to `out`.
void append(std::string& out, char32_t code_point);

}  // namespace cmcp::utf8
