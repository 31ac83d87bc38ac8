#include "base/log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>

#include "base/utf8.h"

namespace cmcp::log {
namespace {

struct State {
  Format format = Format::kHuman;
  std::shared_ptr<spdlog::logger> logger;
};

State& state() {
  static State instance = [] {
    State s;
    s.logger =
        std::make_shared<spdlog::logger>("cmcp", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    s.logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e %l %v");
    return s;
  }();
  return instance;
}

spdlog::level::level_enum translate(Level level) {
  switch (level) {
    case Level::kDebug:
      return spdlog::level::debug;
    case Level::kInfo:
      return spdlog::level::info;
    case Level::kWarning:
      return spdlog::level::warn;
    case Level::kError:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

// A JSON string of `raw`, which may hold anything: ill-formed UTF-8 is replaced, control characters
// are escaped.
std::string quoted(std::string_view raw) {
  std::string out = "\"";
  for (const char c : utf8::sanitize(raw).text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out.append({'\\', c});
    } else if (byte < 0x20 || byte == 0x7F) {
      out.append(fmt::format("\\u{:04x}", byte));
    } else {
      out.push_back(c);
    }
  }
  return out + "\"";
}

std::string human(std::string_view message, const std::vector<Field>& fields) {
  std::string line(message);
  for (const Field& field : fields) line += " " + field.key + "=" + quoted(field.value);
  return line;
}

std::string json_tail(std::string_view message, const std::vector<Field>& fields) {
  std::string line = "\"message\":" + quoted(message);
  for (const Field& field : fields) line += "," + quoted(field.key) + ":" + quoted(field.value);
  return line + "}";
}

}  // namespace

Status configure(Level level, Format format, const std::string& directory) {
  std::shared_ptr<spdlog::sinks::sink> sink;
  try {
    if (directory.empty()) {
      sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    } else {
      sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(directory + "/container-mcp.log");
    }
  } catch (const std::exception& failure) {
    return Error(ErrorCode::kIo,
                 "cannot open the log file in LOG_DIR=" + directory + ": " + failure.what());
  }
  State& s = state();
  s.format = format;
  s.logger = std::make_shared<spdlog::logger>("cmcp", sink);
  s.logger->set_level(translate(level));
  s.logger->flush_on(spdlog::level::debug);
  s.logger->set_pattern(format == Format::kJson
                            ? R"({"time":"%Y-%m-%dT%H:%M:%S.%e%z","level":"%l",%v)"
                            : "%Y-%m-%dT%H:%M:%S.%e %l %v");
  return {};
}

void write(Level level, std::string_view message, const std::vector<Field>& fields) {
  State& s = state();
  const auto translated = translate(level);
  if (!s.logger->should_log(translated)) return;
  s.logger->log(translated, "{}",
                s.format == Format::kJson ? json_tail(message, fields) : human(message, fields));
}

}  // namespace cmcp::log
