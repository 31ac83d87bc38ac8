// SystemManager: the variables that a client may see: the environment of sandboxed code and the
// server's settings, never a secret. Immutable after it is made.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/settings.h"

namespace cmcp::managers {

struct VariableView {
  std::optional<std::string> value;  // nothing: unset, or withheld
  std::string message;               // why there is no value; "" when there is one
};

class SystemManager {
 public:
  using Variables = std::map<std::string, std::string, std::less<>>;

  // `sandbox_environment`: NAME=VALUE as the sandbox profiles have it; it wins over a setting of
  // the same name. `settings`: names and values; `secrets`: names of either that are withheld
  // whatever they look like.
  SystemManager(const std::vector<std::string>& sandbox_environment, const Variables& settings,
                const std::set<std::string>& secrets);
  static SystemManager from_config(const config::Settings& settings,
                                   const std::vector<std::string>& sandbox_environment);

  // All that may be shown.
  const Variables& variables() const { return shown_; }
  VariableView variable(const std::string& name) const;

 private:
  void add(const std::string& name, const std::string& value, const std::set<std::string>& secrets);

  Variables shown_;
  std::set<std::string> withheld_;
};

}  // namespace cmcp::managers
