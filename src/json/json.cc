#include "json/json.h"

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value_stack.hpp>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <system_error>

namespace cmcp::json {
namespace {

using boost::json::error_code;
using Part = boost::json::string_view;

// Builds the value that the parser reads. Boost's own builder takes doubles as the parser computed
// them, which in 1.81 can be one unit in the last place off; this one reads their text itself.
// NOLINTBEGIN(readability-identifier-naming): the parser gives the names.
class Builder {
 public:
  static constexpr std::size_t max_object_size = Object::max_size();
  static constexpr std::size_t max_array_size = Array::max_size();
  static constexpr std::size_t max_key_size = String::max_size();
  static constexpr std::size_t max_string_size = String::max_size();

  Builder() { stack_.reset(); }
  Value release() { return stack_.release(); }

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_object_begin(error_code&) { return true; }
  bool on_array_begin(error_code&) { return true; }
  bool on_comment_part(Part, error_code&) { return true; }
  bool on_comment(Part, error_code&) { return true; }
  bool on_object_end(std::size_t members, error_code&) {
    stack_.push_object(members);
    return true;
  }
  bool on_array_end(std::size_t items, error_code&) {
    stack_.push_array(items);
    return true;
  }
  bool on_key_part(Part text, std::size_t, error_code&) {
    stack_.push_chars(text);
    return true;
  }
  bool on_key(Part text, std::size_t, error_code&) {
    stack_.push_key(text);
    return true;
  }
  bool on_string_part(Part text, std::size_t, error_code&) {
    stack_.push_chars(text);
    return true;
  }
  bool on_string(Part text, std::size_t, error_code&) {
    stack_.push_string(text);
    return true;
  }
  bool on_number_part(Part, error_code&) { return true; }
  bool on_int64(std::int64_t number, Part, error_code&) {
    stack_.push_int64(number);
    return true;
  }
  bool on_uint64(std::uint64_t number, Part, error_code&) {
    stack_.push_uint64(number);
    return true;
  }
  // `text` is the whole number: the parser gets its input in one piece.
  bool on_double(double estimate, Part text, error_code& failure) {
    double number = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc::result_out_of_range) {
      // Too large for a double, or too small: then it is a zero.
      if (!(std::fabs(estimate) < 1)) return refuse(failure);
      number = std::copysign(0.0, estimate);
    } else if (error != std::errc() || stop != end) {
      return refuse(failure);
    }
    stack_.push_double(number);
    return true;
  }
  bool on_bool(bool value, error_code&) {
    stack_.push_bool(value);
    return true;
  }
  bool on_null(error_code&) {
    stack_.push_null();
    return true;
  }

 private:
  static bool refuse(error_code& failure) {
    failure = boost::json::make_error_code(boost::json::error::not_number);
    return false;
  }

  boost::json::value_stack stack_;
};
// NOLINTEND(readability-identifier-naming)

std::string reason(const error_code& failure) {
  return failure == boost::json::error::not_number ? "a number is too large for a double"
                                                   : failure.message();
}

}  // namespace

Result<Value> parse(std::string_view text, const Limits& limits) {
  if (text.size() > limits.max_bytes) {
    return Error(ErrorCode::kLimitExceeded, "JSON text of " + std::to_string(text.size()) +
                                                " bytes is above the limit of " +
                                                std::to_string(limits.max_bytes));
  }
  boost::json::parse_options options;
  options.max_depth = limits.max_depth;
  boost::json::basic_parser<Builder> parser(options);
  error_code failure;
  const std::size_t consumed = parser.write_some(false, text.data(), text.size(), failure);
  if (!failure && consumed < text.size()) {
    failure = boost::json::make_error_code(boost::json::error::extra_data);
  }
  if (failure == boost::json::error::too_deep) {
    return Error(ErrorCode::kLimitExceeded,
                 "JSON is nested deeper than " + std::to_string(limits.max_depth) + " levels");
  }
  if (failure) {
    return Error(ErrorCode::kInvalidArgument,
                 "not valid JSON at byte " + std::to_string(consumed) + ": " + reason(failure));
  }
  return parser.handler().release();
}

const Value* find(const Object& object, std::string_view key) {
  return object.if_contains({key.data(), key.size()});
}

const Value* find(const Value& value, std::string_view key) {
  const Object* object = value.if_object();
  return object == nullptr ? nullptr : find(*object, key);
}

std::optional<std::string> find_string(const Value& value, std::string_view key) {
  const Value* member = find(value, key);
  if (member == nullptr || !member->is_string()) return std::nullopt;
  return std::string(view(member->get_string()));
}

}  // namespace cmcp::json
