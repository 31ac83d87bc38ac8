#include "http/response_writer.h"

#include <array>
#include <charconv>
#include <ctime>

namespace cmcp::http {

namespace {

// IMF-fixdate in English whatever the locale (RFC 9110 section 5.6.7). Made once a second at most.
const std::string& http_date(std::chrono::system_clock::time_point now) {
  thread_local std::time_t last = -1;
  thread_local std::string text;
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  if (seconds == last) return text;
  constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed",
                                                     "Thu", "Fri", "Sat"};
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  const auto two = [](int n) { return std::string(n < 10 ? "0" : "") + std::to_string(n); };
  text = std::string(kDays[static_cast<std::size_t>(utc.tm_wday)]) + ", " + two(utc.tm_mday) + " " +
         std::string(kMonths[static_cast<std::size_t>(utc.tm_mon)]) + " " +
         std::to_string(utc.tm_year + 1900) + " " + two(utc.tm_hour) + ":" + two(utc.tm_min) + ":" +
         two(utc.tm_sec) + " GMT";
  last = seconds;
  return text;
}

void append_headers(std::string& out, const Headers& headers) {
  for (const auto& [name, value] : headers.all()) {
    if (value.find_first_of("\r\n") != std::string::npos) continue;
    out.append(name).append(": ").append(value).append("\r\n");
  }
}

std::string begin_head(int status, std::chrono::system_clock::time_point now) {
  std::string out;
  out.reserve(256);
  out.append("HTTP/1.1 ").append(std::to_string(status)).append(" ").append(reason_phrase(status));
  out.append("\r\nDate: ").append(http_date(now)).append("\r\n");
  return out;
}

void append_connection(std::string& out, int minor_version, Connection connection) {
  if (connection == Connection::kClose) {
    out.append("Connection: close\r\n");
  } else if (minor_version == 0) {
    out.append("Connection: keep-alive\r\n");
  }
}

}  // namespace

std::string write_response(const Response& response, const Headers& extra, int minor_version,
                           Connection connection, Body body,
                           std::chrono::system_clock::time_point now) {
  std::string out = begin_head(response.status, now);
  append_headers(out, response.headers);
  append_headers(out, extra);
  append_connection(out, minor_version, connection);
  if (response.status != 204) {
    out.append("Content-Length: ").append(std::to_string(response.body.size())).append("\r\n");
  }
  out.append("\r\n");
  if (body == Body::kSend && response.status != 204) out.append(response.body);
  return out;
}

std::string write_sse_head(const Headers& extra, int minor_version, Connection connection,
                           std::chrono::system_clock::time_point now) {
  std::string out = begin_head(200, now);
  out.append(
      "Content-Type: text/event-stream\r\n"
      "Cache-Control: no-cache\r\n"
      "X-Accel-Buffering: no\r\n");
  append_headers(out, extra);
  if (minor_version >= 1) out.append("Transfer-Encoding: chunked\r\n");
  append_connection(out, minor_version, minor_version == 0 ? Connection::kClose : connection);
  out.append("\r\n");
  return out;
}

std::string write_sse_event(std::string_view event, std::string_view data) {
  std::string out;
  out.reserve(event.size() + data.size() + 24);
  if (!event.empty()) out.append("event: ").append(event).append("\n");
  for (;;) {
    const std::size_t end = data.find_first_of("\r\n");
    out.append("data: ").append(data.substr(0, end)).append("\n");
    if (end == std::string_view::npos) break;
    const bool pair = data.substr(end, 2) == "\r\n";
    data.remove_prefix(end + (pair ? 2 : 1));
  }
  out.append("\n");
  return out;
}

std::string write_sse_comment(std::string_view text) {
  std::string out = ": ";
  for (const char c : text) out.push_back(c == '\r' || c == '\n' ? ' ' : c);
  return out + "\n\n";
}

std::string write_chunk(std::string_view data) {
  std::array<char, 20> size{};
  const auto end = std::to_chars(size.data(), size.data() + size.size(), data.size(), 16).ptr;
  std::string out;
  out.reserve(data.size() + 24);
  out.append(size.data(), end).append("\r\n").append(data).append("\r\n");
  return out;
}

}  // namespace cmcp::http
