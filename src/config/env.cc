#include "config/env.h"

#include <unistd.h>

namespace cmcp::config {

Environment Environment::of_process() {
  std::map<std::string, std::string, std::less<>> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view line(*entry);
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    // The first of two equal names is the one that getenv would find.
    variables.emplace(line.substr(0, equals), line.substr(equals + 1));
  }
  return Environment(std::move(variables));
}

std::string Environment::get(std::string_view name) const {
  const auto found = variables_.find(name);
  return found == variables_.end() ? std::string() : found->second;
}

bool Environment::has(std::string_view name) const {
  return variables_.find(name) != variables_.end();
}

}  // namespace cmcp::config
