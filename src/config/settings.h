// Settings: the configuration of contract section 6, from one table. Built once at start by
// loader.h; immutable.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cmcp::config {

enum class Type { kText, kInteger, kFlag, kList, kPath };

// One row of the table: all that is known about a setting. Parser, help, docs/configuration.md and
// `container-mcp config` are made from it.
struct Setting {
  std::string_view name;
  Type type;
  std::string_view default_value;  // as it would be written in a file; "" = unset
  std::int64_t minimum;            // integers
  std::int64_t maximum;
  std::string_view meaning;
  bool secret;
  bool built;  // false: setting it stops the start ("not built yet: NAME")
  std::string_view
      choices{};  // kText: the permitted words, comma-separated, in any case; "" = any text
  std::string_view unbuilt_choices{};  // those of them that are not built yet
  std::string_view default_note{};     // what holds when default_value is "": for people ("found",
                                       // "beside SANDBOX_ROOT")
};

// The table, in the contract's order.
const std::vector<Setting>& table();
// The row of `name`; nullptr when there is none.
const Setting* find(std::string_view name);
// The names of all rows, in the table's order.
const std::vector<std::string>& names();

class Settings {
 public:
  // Every accessor aborts for a name that is not in the table or has another type: that is a
  // defect, not input.
  const std::string& text(std::string_view name) const;  // kText and kPath; "" when unset
  std::int64_t integer(std::string_view name) const;
  bool flag(std::string_view name) const;
  const std::vector<std::string>& list(std::string_view name) const;
  // "default", "environment", "command line" or "file PATH".
  const std::string& origin(std::string_view name) const;
  bool is_set(std::string_view name) const { return origin(name) != "default"; }
  // The value as it would be written in a file; "(set)" for a secret that is set, "" when unset.
  // Safe to show.
  std::string shown(std::string_view name) const;

 private:
  friend class SettingsBuilder;
  struct Value {
    std::string text;
    std::int64_t integer = 0;
    bool flag = false;
    std::vector<std::string> list;
    std::string origin = "default";
  };
  const Value& value(std::string_view name, Type type) const;
  std::map<std::string, Value, std::less<>> values_;
};

}  // namespace cmcp::config
