#include "json/json.h"

#include <boost/json/parser.hpp>
#include <boost/json/serialize.hpp>
#include <cmath>

namespace cmcp::json {
namespace {

bool all_finite(const Value& value) {
  switch (value.kind()) {
    case boost::json::kind::double_:
      return std::isfinite(value.get_double());
    case boost::json::kind::array:
      for (const Value& item : value.get_array()) {
        if (!all_finite(item)) return false;
      }
      return true;
    case boost::json::kind::object:
      for (const auto& member : value.get_object()) {
        if (!all_finite(member.value())) return false;
      }
      return true;
    default:
      return true;
  }
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
  boost::json::parser parser({}, options);
  boost::json::error_code failure;
  const std::size_t consumed = parser.write(text.data(), text.size(), failure);
  if (failure == boost::json::error::too_deep) {
    return Error(ErrorCode::kLimitExceeded,
                 "JSON is nested deeper than " + std::to_string(limits.max_depth) + " levels");
  }
  if (failure) {
    return Error(ErrorCode::kInvalidArgument,
                 "not valid JSON at byte " + std::to_string(consumed) + ": " + failure.message());
  }
  Value value = parser.release();
  if (!all_finite(value)) {
    return Error(ErrorCode::kInvalidArgument,
                 "not valid JSON here: a number is too large for a double");
  }
  return value;
}

std::string write(const Value& value) {
  return boost::json::serialize(value);
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
