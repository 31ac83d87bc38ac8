#include "config/settings.h"

#include <cstdlib>

#include "base/strings.h"

namespace cmcp::config {

const Settings::Value& Settings::value(std::string_view name, Type type) const {
  const Setting* row = find(name);
  const auto found = values_.find(name);
  const bool path_as_text = row != nullptr && row->type == Type::kPath && type == Type::kText;
  if (row == nullptr || found == values_.end() || (row->type != type && !path_as_text))
    std::abort();
  return found->second;
}

const std::string& Settings::text(std::string_view name) const {
  return value(name, Type::kText).text;
}
std::int64_t Settings::integer(std::string_view name) const {
  return value(name, Type::kInteger).integer;
}
bool Settings::flag(std::string_view name) const {
  return value(name, Type::kFlag).flag;
}
const std::vector<std::string>& Settings::list(std::string_view name) const {
  return value(name, Type::kList).list;
}

const std::string& Settings::origin(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) std::abort();
  return found->second.origin;
}

std::string Settings::shown(std::string_view name) const {
  const Setting* row = find(name);
  const auto found = values_.find(name);
  if (row == nullptr || found == values_.end()) std::abort();
  const Value& value = found->second;
  if (row->secret) return value.text.empty() ? "" : "(set)";
  switch (row->type) {
    case Type::kText:
    case Type::kPath:
      return value.text;
    case Type::kInteger:
      return value.integer < row->minimum ? "" : std::to_string(value.integer);
    case Type::kFlag:
      return value.flag ? "true" : "false";
    case Type::kList:
      return join(value.list, ",");
  }
  std::abort();
}

}  // namespace cmcp::config
