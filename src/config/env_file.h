// The .env syntax: NAME=value a line, `export`, quotes, comments. Pure: text in, assignments out.
// Nothing is expanded.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cmcp::config {

struct EnvFileLine {
  std::string name;
  std::string value;
  int line = 0;
  bool operator==(const EnvFileLine&) const = default;
};

// kInvalidArgument "line N: …" for what is not understood. The message never has a value: it may be
// a secret.
Result<std::vector<EnvFileLine>> parse_env_file(std::string_view text);

}  // namespace cmcp::config
