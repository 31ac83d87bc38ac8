// The .env parser takes any bytes: it ends, and what it returns has names that are names.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "config/env_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto lines = cmcp::config::parse_env_file({reinterpret_cast<const char*>(data), size});
  if (!lines.ok()) return 0;
  for (const cmcp::config::EnvFileLine& line : *lines) {
    if (line.name.empty() || line.line < 1 || line.name.find('=') != std::string::npos)
      std::abort();
    if (line.value.size() > size) std::abort();
  }
  return 0;
}
