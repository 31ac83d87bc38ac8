// The line that stands in a shortened output for what was left out. The file tools refuse content
// that holds it: a model that writes back what it was shown would otherwise replace the middle of a
// file by this line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cmcp {

// "[… 1234 bytes left out …]", or with the kept output's URI: "[… 1234 bytes left out; the whole is
// readable as URI …]". `kept_bytes` says how much is kept when that is not the whole (0: the
// whole). No line feed.
std::string omission_line(std::uint64_t omitted_bytes, std::string_view kept_uri = {},
                          std::uint64_t kept_bytes = 0);

// Whether some line of `text` holds what omission_line() makes, whatever stands around it.
bool contains_omission_line(std::string_view text);

}  // namespace cmcp
