// The log front: everything that is logged goes through here (spdlog stays inside log.cc), always
// to stderr or a file, never to stdout, which is the protocol stream over stdio.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace cmcp::log {

enum class Level { kDebug, kInfo, kWarning, kError };
enum class Format { kHuman, kJson };

// One key and value of a structured line. Values are text; a secret never goes in here.
struct Field {
  std::string key;
  std::string value;
};

// Sets level, format and target ("" = stderr, else a directory in which container-mcp.log is
// appended to). Before the first call: kInfo, human, stderr. kIo when the file cannot be opened.
Status configure(Level level, Format format, const std::string& directory);

void write(Level level, std::string_view message, const std::vector<Field>& fields = {});

inline void debug(std::string_view message, const std::vector<Field>& fields = {}) {
  write(Level::kDebug, message, fields);
}
inline void info(std::string_view message, const std::vector<Field>& fields = {}) {
  write(Level::kInfo, message, fields);
}
inline void warning(std::string_view message, const std::vector<Field>& fields = {}) {
  write(Level::kWarning, message, fields);
}
inline void error(std::string_view message, const std::vector<Field>& fields = {}) {
  write(Level::kError, message, fields);
}

}  // namespace cmcp::log
