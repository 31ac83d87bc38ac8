// Base64 with the standard and the URL-safe alphabet (RFC 4648 sections 4 and 5).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace cmcp::base64 {

// Standard alphabet with padding.
std::string encode(std::string_view bytes);
// URL-safe alphabet without padding.
std::string encode_url(std::string_view bytes);
// Strict: right padding, no white space, zero trailing bits; kInvalidArgument otherwise.
Result<std::string> decode(std::string_view text);
// Strict decoding of the URL-safe alphabet without padding.
Result<std::string> decode_url(std::string_view text);

}  // namespace cmcp::base64
