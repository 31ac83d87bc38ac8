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
// Duplicate keys: the last one wins. kInvalidArgument with the byte offset and the reason;
// kLimitExceeded for size and depth.
Result<Value> parse(std::string_view text, const Limits& limits = {});

// Compact JSON, always well-formed UTF-8 and one line. Every string in `value` must be well-formed
// UTF-8.
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
