// Environment: a copy of the process's environment, and the only place that reads it. Everybody
// else is given one.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace cmcp::config {

class Environment {
 public:
  using Variables = std::map<std::string, std::string, std::less<>>;
  Environment() = default;
  explicit Environment(Variables variables) : variables_(std::move(variables)) {}
  // The environment of this process. Called once, in main, before any thread exists.
  static Environment of_process();

  // The value of `name`; "" when it is absent.
  std::string get(std::string_view name) const;
  bool has(std::string_view name) const;
  const Variables& variables() const { return variables_; }

 private:
  std::map<std::string, std::string, std::less<>> variables_;
};

}  // namespace cmcp::config
