// Decoding of arguments: the declaration that makes the schema also checks what arrives.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/strings.h"
#include "base/utf8.h"
#include "mcp/tool.h"

namespace cmcp::mcp {
namespace {

// Enough to mend a call in one go, short enough to be read.
constexpr std::size_t kMaxProblems = 5;
constexpr std::size_t kMaxShownBytes = 60;

std::string number_text(double value) {
  if (value == std::trunc(value) && std::fabs(value) < 1e15) {
    return std::to_string(static_cast<std::int64_t>(value));
  }
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

std::string quoted(std::string_view text) {
  return "\"" + printable(text, kMaxShownBytes) + "\"";
}

// What was given, for a message: never the whole of a large value.
std::string shown(const json::Value& value) {
  switch (value.kind()) {
    case boost::json::kind::null:
      return "null";
    case boost::json::kind::bool_:
      return value.get_bool() ? "true" : "false";
    case boost::json::kind::int64:
      return std::to_string(value.get_int64());
    case boost::json::kind::uint64:
      return std::to_string(value.get_uint64());
    case boost::json::kind::double_:
      return number_text(value.get_double());
    case boost::json::kind::string:
      return "the string " + quoted(json::view(value.get_string()));
    case boost::json::kind::array:
      return "an array";
    case boost::json::kind::object:
      return "an object";
  }
  return "a value";
}

std::string range_text(const Param& param) {
  if (param.minimum && param.maximum) {
    return " from " + number_text(*param.minimum) + " to " + number_text(*param.maximum);
  }
  if (param.minimum) return " of at least " + number_text(*param.minimum);
  if (param.maximum) return " of at most " + number_text(*param.maximum);
  return "";
}

// What is allowed, for a message.
std::string allowed(const Param& param) {
  switch (param.type) {
    case ParamType::kString: {
      if (param.choices.empty()) return "a string";
      std::vector<std::string> choices;
      for (const std::string& choice : param.choices) choices.push_back("\"" + choice + "\"");
      return "one of " + join(choices, ", ");
    }
    case ParamType::kInteger:
      return "an integer" + range_text(param);
    case ParamType::kNumber:
      return "a number" + range_text(param);
    case ParamType::kBoolean:
      return "true or false";
    case ParamType::kStringMap:
      return "an object whose values are strings";
    case ParamType::kStringList:
      return "an array of strings";
  }
  return "a value";
}

Error refused(const Param& param, const std::string& given) {
  return {ErrorCode::kInvalidArgument, "argument '" + param.name + "': " + given + " was given, " +
                                           allowed(param) + " is allowed"};
}

bool in_range(const Param& param, double value) {
  return (!param.minimum || value >= *param.minimum) && (!param.maximum || value <= *param.maximum);
}

Result<json::Value> decode_string(const Param& param, const json::Value& value) {
  if (!value.is_string()) return refused(param, shown(value));
  if (!param.choices.empty()) {
    const std::string_view text = json::view(value.get_string());
    if (std::find(param.choices.begin(), param.choices.end(), text) == param.choices.end()) {
      return refused(param, shown(value));
    }
  }
  return value;
}

Result<json::Value> decode_integer(const Param& param, const json::Value& value) {
  std::int64_t integer = 0;
  if (value.is_int64()) {
    integer = value.get_int64();
  } else if (value.is_double()) {
    const double number = value.get_double();
    // 2^63 as a double; the largest double below it converts.
    constexpr double kLimit = 9223372036854775808.0;
    if (number != std::trunc(number) || number >= kLimit || number < -kLimit) {
      return refused(param, shown(value));
    }
    integer = static_cast<std::int64_t>(number);
  } else {
    return refused(param, shown(value));
  }
  if (!in_range(param, static_cast<double>(integer))) return refused(param, shown(value));
  return json::Value(integer);
}

Result<json::Value> decode_number(const Param& param, const json::Value& value) {
  double number = 0;
  if (value.is_int64()) {
    number = static_cast<double>(value.get_int64());
  } else if (value.is_uint64()) {
    number = static_cast<double>(value.get_uint64());
  } else if (value.is_double()) {
    number = value.get_double();
  } else {
    return refused(param, shown(value));
  }
  if (!std::isfinite(number) || !in_range(param, number)) return refused(param, shown(value));
  return json::Value(number);
}

Result<json::Value> decode_map(const Param& param, const json::Value& value) {
  if (!value.is_object()) return refused(param, shown(value));
  for (const auto& member : value.get_object()) {
    if (!member.value().is_string()) {
      const std::string_view key(member.key().data(), member.key().size());
      return refused(param, shown(member.value()) + " for " + quoted(key));
    }
  }
  return value;
}

Result<json::Value> decode_list(const Param& param, const json::Value& value) {
  if (!value.is_array()) return refused(param, shown(value));
  std::size_t index = 0;
  for (const json::Value& item : value.get_array()) {
    if (!item.is_string()) return refused(param, shown(item) + " as item " + std::to_string(index));
    ++index;
  }
  return value;
}

Result<json::Value> decode_value(const Param& param, const json::Value& value) {
  switch (param.type) {
    case ParamType::kString:
      return decode_string(param, value);
    case ParamType::kInteger:
      return decode_integer(param, value);
    case ParamType::kNumber:
      return decode_number(param, value);
    case ParamType::kBoolean:
      if (!value.is_bool()) return refused(param, shown(value));
      return value;
    case ParamType::kStringMap:
      return decode_map(param, value);
    case ParamType::kStringList:
      return decode_list(param, value);
  }
  return refused(param, shown(value));
}

// A default in the same form as a decoded value (a number as double).
json::Value default_of(const Param& param) {
  Result<json::Value> decoded = decode_value(param, *param.default_value);
  return decoded.ok() ? std::move(decoded).value() : *param.default_value;
}

std::string unknown_argument(const Tool& tool, std::string_view name) {
  std::vector<std::string> known;
  for (const Param& param : tool.params) known.push_back(param.name);
  std::string text = "there is no argument '" + printable(name, kMaxShownBytes) + "'";
  const std::string near = nearest(name, known);
  if (!near.empty()) {
    text += "; did you mean '" + near + "'?";
  } else {
    text += known.empty() ? "; this tool takes none" : "; this tool takes " + join(known, ", ");
  }
  return text;
}

}  // namespace

Result<json::Object> decode_arguments(const Tool& tool, const json::Value& arguments) {
  const json::Object* given = arguments.if_object();
  if (given == nullptr) {
    return Error(ErrorCode::kInvalidArgument, tool.name + ": arguments: " + shown(arguments) +
                                                  " was given, an object is allowed");
  }
  std::vector<std::string> problems;
  for (const auto& member : *given) {
    const std::string_view name(member.key().data(), member.key().size());
    const bool known = std::any_of(tool.params.begin(), tool.params.end(),
                                   [&](const Param& param) { return param.name == name; });
    if (!known && problems.size() < kMaxProblems) problems.push_back(unknown_argument(tool, name));
  }
  json::Object decoded;
  for (const Param& param : tool.params) {
    const json::Value* value = json::find(*given, param.name);
    const bool absent = value == nullptr || (value->is_null() && !param.required);
    if (absent && param.required) {
      problems.push_back("argument '" + param.name + "' is missing; " + allowed(param) +
                         " is required");
    } else if (absent) {
      if (param.default_value) decoded[param.name] = default_of(param);
    } else if (Result<json::Value> result = decode_value(param, *value); result.ok()) {
      decoded[param.name] = std::move(result).value();
    } else {
      problems.push_back(result.error().message());
    }
  }
  if (!problems.empty()) {
    if (problems.size() > kMaxProblems) problems.resize(kMaxProblems);
    return Error(ErrorCode::kInvalidArgument, tool.name + ": " + join(problems, "; "));
  }
  return decoded;
}

}  // namespace cmcp::mcp
