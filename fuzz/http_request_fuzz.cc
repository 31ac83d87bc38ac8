// The HTTP request parser takes any bytes: it ends, keeps its limits, and reads the same requests
// however the bytes were cut (two readings of one byte stream are how requests are smuggled).
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "http/request_parser.h"

using cmcp::http::Request;
using cmcp::http::RequestParser;
using State = cmcp::http::RequestParser::State;

namespace {

constexpr cmcp::http::ParserLimits kLimits = {200, 600, 1000};

void require(bool holds) {
  if (!holds) std::abort();
}

struct Read {
  std::vector<std::string> requests;
  int error = 0;
};

// What two readings of one request must agree on.
std::string key(const Request& request) {
  std::string text = request.method + '\n' + request.path + '\n' + request.query + '\n' +
                     request.authority + '\n' + std::to_string(request.minor_version) + '\n';
  for (const auto& [name, value] : request.headers.all()) text += name + ": " + value + '\n';
  return text + '\n' + request.body;
}

// Goes on until the parser needs more bytes. False when nothing more can be read.
bool drain(RequestParser& parser, Read& read) {
  for (;;) {
    switch (parser.advance()) {
      case State::kError:
        read.error = parser.error_status();
        require(read.error >= 400 && read.error < 600 && !parser.error_message().empty());
        return false;
      case State::kComplete: {
        const Request request = parser.take();
        require(!request.method.empty() && request.body.size() <= kLimits.body_bytes);
        (void)request.query_parameter("session_id");
        read.requests.push_back(key(request));
        break;
      }
      case State::kBody:
        // Stops here once when the header is complete; the second time it needs more bytes.
        if (parser.advance() == State::kBody) return true;
        break;
      case State::kIdle:
      case State::kHeader:
        return true;
    }
  }
}

Read parse(std::string_view bytes, std::size_t piece) {
  RequestParser parser(kLimits);
  Read read;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    parser.feed(bytes.substr(at, piece));
    if (!drain(parser, read)) break;
  }
  return read;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 4096) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Read whole = parse(bytes, size + 1);
  const Read pieces = parse(bytes, 1);
  require(whole.requests == pieces.requests);
  require((whole.error == 0) == (pieces.error == 0));
  return 0;
}
