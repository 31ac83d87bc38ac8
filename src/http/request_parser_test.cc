#include "http/request_parser.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace cmcp::http {
namespace {

using State = RequestParser::State;

ParserLimits small_limits() {
  return {200, 400, 1000};
}

// Goes on until the parser needs more, has a request or has failed.
State run(RequestParser& parser) {
  State state = parser.advance();
  if (state == State::kBody) state = parser.advance();
  return state;
}

TEST(RequestParser, ReadsARequestFedByteByByte) {
  RequestParser parser(small_limits());
  const std::string bytes =
      "POST /mcp?x=1&session_id=a%20b HTTP/1.1\r\nHost: localhost\r\nmCp-Name: \xC3\xA9 x \r\n"
      "Content-Length: 5\r\n\r\nhello";
  State state = State::kIdle;
  for (const char c : bytes) {
    parser.feed({&c, 1});
    state = parser.advance();
  }
  if (state == State::kBody) state = parser.advance();
  ASSERT_EQ(state, State::kComplete);
  const Request request = parser.take();
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/mcp");
  EXPECT_EQ(request.query_parameter("session_id"), "a b");
  EXPECT_EQ(request.query_parameter("x"), "1");
  EXPECT_FALSE(request.query_parameter("y"));
  EXPECT_EQ(request.headers.find("MCP-NAME"), "\xC3\xA9 x");
  EXPECT_EQ(request.body, "hello");
  EXPECT_TRUE(parser.keep_alive());
  EXPECT_EQ(parser.state(), State::kIdle);
}

TEST(RequestParser, StopsAtTheHeaderAndKeepsPipelinedRequestsApart) {
  RequestParser parser(small_limits());
  parser.feed(
      "\r\nPOST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: Chunked\r\n\r\n"
      "3;ext=1\r\nabc\r\n2\r\nde\r\n0\r\nTrailer: t\r\n\r\n"
      "GET /b HTTP/1.0\r\n\r\nHEAD /c HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  ASSERT_EQ(parser.advance(), State::kBody);
  EXPECT_EQ(parser.request().path, "/a");
  ASSERT_EQ(parser.advance(), State::kComplete);
  const Request first = parser.take();
  EXPECT_EQ(first.body, "abcde");
  EXPECT_FALSE(first.headers.find("Trailer"));
  ASSERT_EQ(parser.advance(), State::kComplete);
  EXPECT_FALSE(parser.keep_alive());
  EXPECT_EQ(parser.take().minor_version, 0);
  ASSERT_EQ(parser.advance(), State::kComplete);
  EXPECT_FALSE(parser.keep_alive());
  EXPECT_EQ(parser.take().method, "HEAD");
  EXPECT_EQ(parser.advance(), State::kIdle);
}

// Each cut falls within the last chunk once.
TEST(RequestParser, ReadsAChunkedBodyFedByteByByte) {
  RequestParser parser(small_limits());
  const std::string bytes =
      "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
      "1\r\nx\r\n0\r\n\r\n"
      "POST /b HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
  std::vector<std::string> seen;
  for (const char c : bytes) {
    parser.feed({&c, 1});
    if (run(parser) != State::kComplete) continue;
    const Request request = parser.take();
    seen.push_back(request.path + " " + request.body);
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"/a x", "/b "}));
  EXPECT_EQ(parser.state(), State::kIdle);
}

TEST(RequestParser, SplitsAbsoluteTargets) {
  RequestParser parser(small_limits());
  parser.feed("GET http://Evil.example:80/x?y HTTP/1.1\r\nHost: h\r\nExpect: 100-Continue\r\n\r\n");
  ASSERT_EQ(parser.advance(), State::kComplete);
  EXPECT_TRUE(parser.expects_continue());
  const Request request = parser.take();
  EXPECT_EQ(request.authority, "Evil.example:80");
  EXPECT_EQ(request.path, "/x");
  EXPECT_EQ(request.query, "y");
}

struct Bad {
  std::string bytes;
  int status;
};

TEST(RequestParser, RefusesWhatTwoPartiesCouldReadDifferently) {
  const std::string host = "Host: h\r\n";
  const std::string post = "POST / HTTP/1.1\r\n" + host;
  const std::string chunked = post + "Transfer-Encoding: chunked\r\n\r\n";
  const std::vector<Bad> table = {
      {"\x16\x03\x01\x02", 400},
      {" GET / HTTP/1.1\r\n" + host + "\r\n", 400},
      {"GET / HTTP/1.1\nHost: h\n\n", 400},
      {"GET / HTTP/1.1\r\nHost: h\nX: y\r\n\r\n", 400},
      {"GET /  HTTP/1.1\r\n" + host + "\r\n", 400},
      {"GET / HTTP/2.0\r\n" + host + "\r\n", 505},
      {"GET / HTTP/1.1 \r\n" + host + "\r\n", 400},
      {"GET / http/1.1\r\n" + host + "\r\n", 400},
      {"GET /\r\n" + host + "\r\n", 400},
      {"GET\r\n\r\n", 400},
      {"G@T / HTTP/1.1\r\n" + host + "\r\n", 400},
      {"GET mcp HTTP/1.1\r\n" + host + "\r\n", 400},
      {"GET /a#b HTTP/1.1\r\n" + host + "\r\n", 400},
      {"GET /\xFF HTTP/1.1\r\n" + host + "\r\n", 400},
      {"GET http:// HTTP/1.1\r\n" + host + "\r\n", 400},
      {"CONNECT h:80 HTTP/1.1\r\n" + host + "\r\n", 400},
      {"GET / HTTP/1.1\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\n" + host + host + "\r\n", 400},
      {"GET / HTTP/1.1\r\n" + host + "X: a\r\n b\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\n" + host + "X : a\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\n" + host + ": a\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\n" + host + "no colon\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\n" + host + std::string("X: a\0b\r\n\r\n", 10), 400},
      {"GET / HTTP/1.1\r\n" + host + "X: a\rb\r\n\r\n", 400},
      {post + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
      {post + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n", 400},
      {post + "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc", 400},
      {post + "Content-Length: 3, 3\r\n\r\nabc", 400},
      {post + "Content-Length: -1\r\n\r\n", 400},
      {post + "Content-Length: +1\r\n\r\na", 400},
      {post + "Content-Length: 0x3\r\n\r\nabc", 400},
      {post + "Content-Length: \r\n\r\n", 400},
      {post + "Content-Length: 99999999999999999999\r\n\r\n", 400},
      {post + "Content-Length: 1001\r\n\r\n", 413},
      {post + "Transfer-Encoding: gzip, chunked\r\n\r\n", 501},
      {post + "Transfer-Encoding: identity\r\n\r\n", 501},
      {post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
      {"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
      {post + "Expect: 200-ok\r\n\r\n", 417},
      {chunked + "x\r\n", 400},
      {chunked + "3\r\nabcd\r\n0\r\n\r\n", 400},
      {chunked + "-1\r\n", 400},
      {chunked + "fffffffffffffffff\r\n", 400},
      {chunked + "3e9\r\n", 413},
      {chunked + "200\r\n" + std::string(512, 'x') + "\r\n200\r\n", 413},
      {chunked + "1;" + std::string(20000, 'x'), 400},
      {"GET /" + std::string(200, 'x'), 414},
      {"GET /" + std::string(200, 'x') + " HTTP/1.1\r\n" + host + "\r\n", 414},
      {"GET / HTTP/1.1\r\n" + host + "X: " + std::string(400, 'x'), 431},
      {"GET / HTTP/1.1\r\n" + host + "X: " + std::string(400, 'x') + "\r\n\r\n", 431},
  };
  for (const Bad& bad : table) {
    RequestParser parser(small_limits());
    parser.feed(bad.bytes);
    EXPECT_EQ(run(parser), State::kError) << bad.bytes;
    EXPECT_EQ(parser.error_status(), bad.status) << bad.bytes << "\n" << parser.error_message();
    EXPECT_FALSE(parser.error_message().empty());
    EXPECT_EQ(parser.advance(), State::kError);
  }
}

TEST(RequestParser, TooManyFieldsAreRefused) {
  RequestParser parser({8192, 32768, 0});
  std::string bytes = "GET / HTTP/1.1\r\nHost: h\r\n";
  for (int i = 0; i < 200; ++i) bytes += "A: b\r\n";
  parser.feed(bytes + "\r\n");
  EXPECT_EQ(parser.advance(), State::kError);
  EXPECT_EQ(parser.error_status(), 431);
}

}  // namespace
}  // namespace cmcp::http
