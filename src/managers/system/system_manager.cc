#include "managers/system/system_manager.h"

#include "base/strings.h"
#include "base/utf8.h"
#include "managers/system/secret_rule.h"

namespace cmcp::managers {

SystemManager::SystemManager(const std::vector<std::string>& sandbox_environment,
                             const Variables& settings, const std::set<std::string>& secrets) {
  for (const std::string& entry : sandbox_environment) {
    const std::size_t equals = entry.find('=');
    if (equals != std::string::npos)
      add(entry.substr(0, equals), entry.substr(equals + 1), secrets);
  }
  for (const auto& [name, value] : settings) {
    if (!shown_.contains(name)) add(name, value, secrets);
  }
}

SystemManager SystemManager::from_config(const config::Settings& settings,
                                         const std::vector<std::string>& sandbox_environment) {
  Variables values;
  std::set<std::string> secrets;
  for (const config::Setting& row : config::table()) {
    values[std::string(row.name)] = row.secret ? "" : settings.shown(row.name);
    if (row.secret) secrets.insert(std::string(row.name));
  }
  return SystemManager(sandbox_environment, values, secrets);
}

void SystemManager::add(const std::string& name, const std::string& value,
                        const std::set<std::string>& secrets) {
  if (secrets.contains(name) || is_secret_name(name) || is_secret_value(value)) {
    withheld_.insert(name);
    return;
  }
  shown_[utf8::sanitize(name).text] = utf8::sanitize(value).text;
}

VariableView SystemManager::variable(const std::string& name) const {
  const std::string quoted = "\"" + printable(name, 100) + "\"";
  if (withheld_.contains(name) || is_secret_name(name)) {
    return {
        std::nullopt,
        quoted +
            " is a secret by its name, its value or the configuration; its value is never shown."};
  }
  if (const auto found = shown_.find(name); found != shown_.end()) return {found->second, ""};
  std::string message =
      quoted +
      " is neither set in the environment of sandboxed code nor the name of a server setting.";
  std::vector<std::string> names;
  for (const auto& [known, value] : shown_) names.push_back(known);
  if (const std::string near = nearest(name, names); !near.empty())
    message += " Did you mean \"" + near + "\"?";
  return {std::nullopt, message};
}

}  // namespace cmcp::managers
