// What kind of bytes a file holds: for mime_type and for the refusal to show binary content as
// text.
#pragma once

#include <string>
#include <string_view>

namespace cmcp::file {

// By the bytes first ("image/png", "application/pdf"), then by the name's extension; "text/plain"
// for other text, "application/octet-stream" for other bytes.
std::string mime_type(std::string_view name, std::string_view bytes);

// The type that a signature at the start of `bytes` tells; "" when there is none.
std::string_view signature_type(std::string_view bytes);

// True when `bytes` hold a zero byte in their first part.
bool has_zero_byte(std::string_view bytes);

}  // namespace cmcp::file
