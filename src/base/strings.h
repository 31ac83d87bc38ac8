// Small pure string helpers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cmcp {

// Splits at every `separator`; "" gives one empty part.
std::vector<std::string> split(std::string_view text, char separator);
// Splits at commas, strips white space around each part, drops empty parts.
std::vector<std::string> split_list(std::string_view text);
std::string join(const std::vector<std::string>& parts, std::string_view separator);
// Without ASCII white space at both ends.
std::string_view strip(std::string_view text);
// ASCII case folding only.
std::string to_lower(std::string_view text);
bool equals_ignore_case(std::string_view a, std::string_view b);
// The whole of `text` as a decimal number (optional minus sign); nothing on overflow or any other
// character.
std::optional<std::int64_t> parse_int(std::string_view text);
// The candidate with the smallest edit distance to `word`, if it is near enough to be meant
// (distance at most a third of the longer word, at least 1); "" otherwise.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);
// `text` with control characters and non-ASCII bytes as \xNN, at most `limit` bytes and "…": safe
// for a log or a message.
std::string printable(std::string_view text, std::size_t limit = 200);

}  // namespace cmcp
