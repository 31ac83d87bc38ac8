#include "app/fail_start.h"

#include <unistd.h>

#include <string>

namespace cmcp::app {

int fail_start(const Error& error) {
  const std::string text = "container-mcp: " + error.message() + "\n";
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return 2;
  return error.code() == ErrorCode::kInvalidArgument || error.code() == ErrorCode::kUnsupported ? 2
                                                                                                : 1;
}

}  // namespace cmcp::app
