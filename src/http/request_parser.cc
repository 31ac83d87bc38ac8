#include "http/request_parser.h"

#include <algorithm>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>

#include "base/strings.h"

namespace cmcp::http {

namespace beast = boost::beast;

struct RequestParser::Beast {
  std::optional<beast::http::request_parser<beast::http::string_body>> parser;
};

namespace {

constexpr std::size_t kMaxFields = 128;
// A chunk header or trailer that does not end within this is not a chunk header.
constexpr std::size_t kMaxChunkHeader = 16 * 1024;

bool is_token_char(char c) {
  const bool alphanumeric =
      (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return alphanumeric ||
         (c != '\0' && std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos);
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t') || byte == 0x7F;
}

// The path in a request line that may be malformed, "" where none can be made out: only for the
// form of an error.
std::string path_of(std::string_view line) {
  const std::size_t begin = line.find(" /");
  if (begin == std::string_view::npos) return {};
  const std::string_view path =
      line.substr(begin + 1, line.find_first_of(" ?", begin + 1) - begin - 1);
  const bool plain =
      std::all_of(path.begin(), path.end(), [](char c) { return c > 0x20 && c < 0x7F; });
  return plain ? std::string(path) : std::string();
}

// Beast asserts that a last chunk whose first line it has seen is whole (at least "0", CR LF, CR
// LF) when it is shown again: one that arrives in pieces is kept until it is that long.
bool is_piece_of_last_chunk(std::string_view rest) {
  return rest.starts_with("0\r\n") && rest.size() < 5;
}

// What can be said about a body from the header alone.
struct Framing {
  std::size_t content_lengths = 0;
  std::size_t transfer_encodings = 0;
  std::size_t hosts = 0;
  std::string_view content_length;
  std::string_view transfer_encoding;
};

}  // namespace

RequestParser::RequestParser(ParserLimits limits)
    : limits_(limits), beast_(std::make_unique<Beast>()) {}
RequestParser::~RequestParser() = default;

RequestParser::State RequestParser::fail(int status, std::string message) {
  error_status_ = status;
  error_message_ = std::move(message);
  return state_ = State::kError;
}

RequestParser::State RequestParser::advance() {
  switch (state_) {
    case State::kIdle:
    case State::kHeader:
      return advance_header();
    case State::kBody:
      return advance_body();
    case State::kComplete:
    case State::kError:
      break;
  }
  return state_;
}

RequestParser::State RequestParser::advance_header() {
  // Empty lines before a request are left over from old clients (RFC 9112 section 2.2).
  while (state_ == State::kIdle && buffer_.starts_with("\r\n")) buffer_.erase(0, 2);
  if (buffer_.empty() || buffer_ == "\r") return state_;
  state_ = State::kHeader;
  if (!is_token_char(buffer_.front())) {
    return fail(400,
                "this is no HTTP request: the first byte cannot begin a method (TLS is not spoken "
                "on this port)");
  }
  const std::size_t most = limits_.request_line_bytes + limits_.header_bytes + 4;
  for (; scanned_ < buffer_.size(); ++scanned_) {
    if (scanned_ > most) break;
    if (buffer_[scanned_] != '\n') continue;
    if (buffer_[scanned_ - 1] != '\r') {
      return fail(400, "a header line must end in CR LF, not in LF alone");
    }
    if (scanned_ >= 3 && buffer_[scanned_ - 2] == '\n') return parse_header(scanned_ + 1);
  }
  const std::size_t line_end = buffer_.find("\r\n");
  if (std::min(line_end, buffer_.size()) > limits_.request_line_bytes) {
    return fail(414, "the request line is longer than " +
                         std::to_string(limits_.request_line_bytes) + " bytes");
  }
  if (line_end != std::string::npos && buffer_.size() - line_end > limits_.header_bytes + 4) {
    return fail(431,
                "the header is longer than " + std::to_string(limits_.header_bytes) + " bytes");
  }
  return state_;
}

bool RequestParser::check_framing(std::string_view header) {
  const std::size_t line_end = header.find("\r\n");
  if (line_end > limits_.request_line_bytes) {
    fail(414, "the request line is longer than " + std::to_string(limits_.request_line_bytes) +
                  " bytes");
    return false;
  }
  if (header.size() - line_end > limits_.header_bytes + 4) {
    fail(431, "the header is longer than " + std::to_string(limits_.header_bytes) + " bytes");
    return false;
  }
  const bool old_version = header.substr(0, line_end).ends_with("HTTP/1.0");
  Framing framing;
  std::size_t fields = 0;
  for (std::size_t at = line_end + 2; at + 2 < header.size();) {
    const std::size_t end = header.find("\r\n", at);
    const std::string_view line = header.substr(at, end - at);
    at = end + 2;
    if (++fields > kMaxFields) {
      fail(431, "the header has more than " + std::to_string(kMaxFields) + " fields");
      return false;
    }
    if (line.front() == ' ' || line.front() == '\t') {
      fail(400, "a header field is folded over several lines; send it on one line");
      return false;
    }
    if (std::any_of(line.begin(), line.end(), is_control)) {
      fail(400, "a header field contains a control character");
      return false;
    }
    const std::string_view name = line.substr(0, line.find(':'));
    const std::string_view value =
        name.size() < line.size() ? strip(line.substr(name.size() + 1)) : "";
    if (equals_ignore_case(name, "content-length")) {
      ++framing.content_lengths;
      framing.content_length = value;
    } else if (equals_ignore_case(name, "transfer-encoding")) {
      ++framing.transfer_encodings;
      framing.transfer_encoding = value;
    } else if (equals_ignore_case(name, "host")) {
      ++framing.hosts;
    }
  }
  if (framing.hosts > 1 || (framing.hosts == 0 && !old_version)) {
    fail(400, "a request must have exactly one Host header");
    return false;
  }
  if (framing.content_lengths > 1 ||
      (framing.content_lengths > 0 && framing.transfer_encodings > 0)) {
    fail(400,
         "the length of the body is given more than once; send one Content-Length or one "
         "Transfer-Encoding");
    return false;
  }
  if (framing.transfer_encodings > 0) {
    if (framing.transfer_encodings > 1 || old_version) {
      fail(400, "Transfer-Encoding must be sent once, and only in HTTP/1.1");
      return false;
    }
    if (!equals_ignore_case(framing.transfer_encoding, "chunked")) {
      fail(501, "the only Transfer-Encoding that is understood is chunked");
      return false;
    }
  }
  if (framing.content_lengths > 0) {
    const std::string_view digits = framing.content_length;
    if (digits.empty() || digits.size() > 18 ||
        digits.find_first_not_of("0123456789") != std::string_view::npos) {
      fail(400, "Content-Length must be one decimal number");
      return false;
    }
    if (static_cast<std::uint64_t>(*parse_int(digits)) > limits_.body_bytes) {
      fail(413, "the body is larger than " + std::to_string(limits_.body_bytes) +
                    " bytes; raise MCP_MAX_BODY_MB or send less");
      return false;
    }
  }
  return true;
}

// origin-form "/path?query", absolute-form "http://host/path", or "*".
bool RequestParser::split_target(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!equals_ignore_case(target.substr(0, scheme.size()), scheme)) continue;
    target.remove_prefix(scheme.size());
    const std::size_t slash = std::min(target.find_first_of("/?"), target.size());
    request_.authority = target.substr(0, slash);
    target.remove_prefix(slash);
    if (request_.authority.empty()) return false;
    if (target.empty()) target = "/";
    break;
  }
  const bool printable_only = std::all_of(target.begin(), target.end(),
                                          [](char c) { return c > 0x20 && c < 0x7F && c != '#'; });
  if (!printable_only || (target.front() != '/' && target != "*")) return false;
  const std::size_t mark = std::min(target.find('?'), target.size());
  request_.path = target.substr(0, mark);
  request_.query = mark < target.size() ? target.substr(mark + 1) : "";
  return !request_.path.empty();
}

RequestParser::State RequestParser::parse_header(std::size_t header_size) {
  request_ = {};
  request_.path = path_of(std::string_view(buffer_).substr(0, buffer_.find("\r\n")));
  if (!check_framing({buffer_.data(), header_size})) return state_;
  beast_->parser.emplace();
  auto& parser = *beast_->parser;
  parser.header_limit(static_cast<std::uint32_t>(header_size + 1));
  parser.body_limit(limits_.body_bytes);
  beast::error_code failure;
  parser.put(boost::asio::buffer(buffer_.data(), header_size), failure);
  if (failure || !parser.is_header_done()) {
    const std::size_t line_end = buffer_.find("\r\n");
    const std::string line = printable(std::string_view(buffer_).substr(0, line_end), 80);
    const std::size_t version = line.rfind(" HTTP/");
    const bool other_version = version != std::string::npos &&
                               line.find(' ', version + 1) == std::string::npos &&
                               !line.substr(version).starts_with(" HTTP/1.");
    if (failure == beast::http::error::bad_version && other_version) {
      return fail(505, "only HTTP/1.0 and HTTP/1.1 are spoken here, not: " + line);
    }
    return fail(400, "malformed request (" + failure.message() + "): " + line);
  }
  buffer_.erase(0, header_size);
  scanned_ = 0;
  const auto& message = parser.get();
  request_ = {};
  request_.method = std::string(message.method_string());
  request_.minor_version = static_cast<int>(message.version() % 10);
  for (const auto& field : message) {
    request_.headers.add(std::string(field.name_string()), std::string(field.value()));
  }
  const std::string_view target(message.target().data(), message.target().size());
  if (target.empty() || !split_target(target)) {
    return fail(400, "the request target must be a path: " + printable(target, 80));
  }
  keep_alive_ = parser.keep_alive();
  const auto expect = request_.headers.find("Expect");
  if (expect && !equals_ignore_case(*expect, "100-continue")) {
    return fail(417, "the only expectation that is understood is 100-continue");
  }
  expects_continue_ = expect.has_value() && request_.minor_version >= 1;
  return state_ = parser.is_done() ? State::kComplete : State::kBody;
}

RequestParser::State RequestParser::advance_body() {
  auto& parser = *beast_->parser;
  std::size_t used = 0;
  while (used < buffer_.size() && !parser.is_done()) {
    if (parser.chunked() && is_piece_of_last_chunk(std::string_view(buffer_).substr(used))) break;
    beast::error_code failure;
    used += parser.put(boost::asio::buffer(buffer_.data() + used, buffer_.size() - used), failure);
    if (failure == beast::http::error::need_more) break;
    if (failure == beast::http::error::body_limit) {
      return fail(413, "the body is larger than " + std::to_string(limits_.body_bytes) +
                           " bytes; raise MCP_MAX_BODY_MB or send less");
    }
    if (failure) return fail(400, "malformed body (" + failure.message() + ")");
  }
  buffer_.erase(0, used);
  if (!parser.is_done()) {
    if (buffer_.size() > kMaxChunkHeader)
      return fail(400, "malformed body: a chunk header does not end");
    return state_;
  }
  request_.body = std::move(parser.get().body());
  return state_ = State::kComplete;
}

Request RequestParser::take() {
  Request taken = std::move(request_);
  request_ = {};
  beast_->parser.reset();
  state_ = State::kIdle;
  return taken;
}

}  // namespace cmcp::http
