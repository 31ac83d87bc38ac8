// JSON values, and the one reader and writer for untrusted text. Boost.JSON is the value type;
// nothing else of it is used.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cmcp::json {

using Value = boost::json::value;
using Object = boost::json::object;
using Array = boost::json::array;
using String = boost::json::string;

struct Limits {
  std::size_t max_bytes = 64U << 20U;
  std::size_t max_depth = 64;
};

// Parses one JSON text (RFC 8259), strictly: well-formed UTF-8, no trailing text, no depth above
// the limit, no number that does not fit a finite double (1e400), no lone surrogate escape.
// Numbers without fraction and exponent are integers where 64 bits hold them, all others the double
// nearest to their text. Duplicate keys: the last one wins. kInvalidArgument with the byte offset
// and the reason; kLimitExceeded for size and depth.
Result<Value> parse(std::string_view text, const Limits& limits = {});

// Compact JSON, always well-formed UTF-8 and one line. Every string in `value` must be well-formed
// UTF-8. Doubles take the fewest digits that read back as the same double, and stay doubles (1.5,
// 3.0, 1e+22); one that is not finite becomes null. Strings are escaped where RFC 8259 wants it and
// nowhere else. Any depth.
std::string write(const Value& value);

// Member of an object, or nullptr when `value` is no object or has no such member.
const Value* find(const Value& value, std::string_view key);
const Value* find(const Object& object, std::string_view key);
// The text of a string member; nothing when absent or of another type.
std::optional<std::string> find_string(const Value& value, std::string_view key);

inline std::string_view view(const String& text) {
  return {text.data(), text.size()};
}

}  // namespace cmcp::json
