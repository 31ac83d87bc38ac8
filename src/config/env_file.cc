#include "config/env_file.h"

#include "base/strings.h"

namespace cmcp::config {
namespace {

bool is_name(std::string_view text) {
  if (text.empty() || (text.front() >= '0' && text.front() <= '9')) return false;
  for (const char c : text) {
    const bool good =
        (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    if (!good) return false;
  }
  return true;
}

Error at_line(int line, const std::string& what) {
  return {ErrorCode::kInvalidArgument, "line " + std::to_string(line) + ": " + what};
}

bool only_comment(std::string_view rest) {
  rest = strip(rest);
  return rest.empty() || rest.front() == '#';
}

char unescaped(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    default:
      return c;
  }
}

// The value that begins with the quote text[0].
Result<std::string> quoted_value(std::string_view text, int line) {
  const char quote = text.front();
  std::string value;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == quote) {
      if (!only_comment(text.substr(i + 1)))
        return at_line(line, "there is text after the closing quote");
      return value;
    }
    // Single quotes are literal, as in a shell.
    if (text[i] == '\\' && quote == '"' && i + 1 < text.size()) {
      value.push_back(unescaped(text[++i]));
    } else {
      value.push_back(text[i]);
    }
  }
  return at_line(line, "the closing quote is missing");
}

// Up to a '#' that begins the value or follows white space.
std::string bare_value(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '#' && (i == 0 || text[i - 1] == ' ' || text[i - 1] == '\t')) {
      text = text.substr(0, i);
      break;
    }
  }
  return std::string(strip(text));
}

}  // namespace

Result<std::vector<EnvFileLine>> parse_env_file(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  constexpr std::string_view kExport = "export";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::vector<EnvFileLine> lines;
  int number = 0;
  for (const std::string& raw : split(text, '\n')) {
    ++number;
    std::string_view line = strip(raw);
    if (line.empty() || line.front() == '#') continue;
    if (line.find('\0') != std::string_view::npos) return at_line(number, "it has a NUL byte");
    if (line.starts_with(kExport) && line.size() > kExport.size() &&
        (line[kExport.size()] == ' ' || line[kExport.size()] == '\t')) {
      line = strip(line.substr(kExport.size()));
    }
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) return at_line(number, "it is not NAME=value");
    const std::string_view name = strip(line.substr(0, equals));
    if (!is_name(name))
      return at_line(number, "the name before '=' may have letters, digits and '_' only");
    const std::string_view rest = strip(line.substr(equals + 1));
    EnvFileLine entry{std::string(name), "", number};
    if (!rest.empty() && (rest.front() == '"' || rest.front() == '\'')) {
      CMCP_TRY(entry.value, quoted_value(rest, number));
    } else {
      // Not stripped at the front: `NAME= # text` is a comment, not a value.
      entry.value = bare_value(line.substr(equals + 1));
    }
    lines.push_back(std::move(entry));
  }
  return lines;
}

}  // namespace cmcp::config
