// RequestParser: turns the bytes of a connection into requests, one after another. Strict where two
// parties could read the same bytes differently (request smuggling), bounded everywhere.
// Boost.Beast does the grammar and stays inside request_parser.cc.
//
//   parser.feed(bytes);
//   switch (parser.advance()) { … }   // again after each answer: pipelined requests wait inside
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "http/message.h"

namespace cmcp::http {

struct ParserLimits {
  std::size_t request_line_bytes = 8 * 1024;  // 414
  std::size_t header_bytes = 32 * 1024;       // all header fields: 431
  std::size_t body_bytes = 21U << 20U;        // 413
};

class RequestParser {
 public:
  enum class State {
    kIdle,      // nothing of a request was received yet
    kHeader,    // within request line or header
    kBody,      // header complete (request() is valid without body), body not
    kComplete,  // request() is whole; take() it, then advance() to the next one
    kError,     // error_status(), error_message(); nothing more can be read from this connection
  };

  explicit RequestParser(ParserLimits limits);
  ~RequestParser();

  void feed(std::string_view bytes) { buffer_.append(bytes); }
  // Goes as far as the bytes fed allow and returns where that is. Stops once at kBody as soon as
  // the header is complete even if the body is here already, so that the request can be refused
  // before its body counts.
  State advance();
  State state() const { return state_; }

  // In kBody and kComplete.
  Request& request() { return request_; }
  // The whole request, in kComplete; the parser is then at the next one.
  Request take();
  // In kBody: the client waits for "100 Continue".
  bool expects_continue() const { return expects_continue_; }
  // After this request the client or its HTTP version wants the connection closed. In kBody and
  // kComplete.
  bool keep_alive() const { return keep_alive_; }

  int error_status() const { return error_status_; }
  const std::string& error_message() const { return error_message_; }
  // Bytes fed and not used yet.
  std::size_t buffered_bytes() const { return buffer_.size(); }

 private:
  struct Beast;
  State fail(int status, std::string message);
  State advance_header();
  State advance_body();
  State parse_header(std::size_t header_size);
  bool check_framing(std::string_view header);
  bool split_target(std::string_view target);

  ParserLimits limits_;
  State state_ = State::kIdle;
  std::string buffer_;
  std::size_t scanned_ = 0;
  Request request_;
  bool expects_continue_ = false;
  bool keep_alive_ = true;
  int error_status_ = 0;
  std::string error_message_;
  std::unique_ptr<Beast> beast_;
};

}  // namespace cmcp::http
