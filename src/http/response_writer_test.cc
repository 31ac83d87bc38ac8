#include "http/response_writer.h"

#include <gtest/gtest.h>

namespace cmcp::http {
namespace {

const std::chrono::system_clock::time_point kNow{std::chrono::seconds(784111777)};

TEST(ResponseWriter, WritesWholeResponses) {
  Headers extra;
  extra.add("Vary", "Origin");
  extra.add("Evil", "a\r\nInjected: b");
  EXPECT_EQ(
      write_response(Response::json(200, "{}"), extra, 1, Connection::kKeepAlive, Body::kSend,
                     kNow),
      "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Type: application/json\r\n"
      "Vary: Origin\r\nContent-Length: 2\r\n\r\n{}");
  EXPECT_EQ(
      write_response(Response::text(404, "no"), {}, 0, Connection::kKeepAlive, Body::kOmit, kNow),
      "HTTP/1.1 404 Not Found\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
      "Content-Type: text/plain; charset=utf-8\r\nConnection: keep-alive\r\nContent-Length: "
      "2\r\n\r\n");
  EXPECT_EQ(write_response(Response::empty(202), {}, 1, Connection::kClose, Body::kSend, kNow),
            "HTTP/1.1 202 Accepted\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nConnection: close\r\n"
            "Content-Length: 0\r\n\r\n");
}

TEST(ResponseWriter, WritesEventStreams) {
  EXPECT_EQ(
      write_sse_head({}, 1, Connection::kKeepAlive, kNow),
      "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Type: "
      "text/event-stream\r\n"
      "Cache-Control: no-cache\r\nX-Accel-Buffering: no\r\nTransfer-Encoding: chunked\r\n\r\n");
  const std::string old = write_sse_head({}, 0, Connection::kKeepAlive, kNow);
  EXPECT_EQ(old.find("Transfer-Encoding"), std::string::npos);
  EXPECT_NE(old.find("Connection: close\r\n"), std::string::npos);
  EXPECT_EQ(write_sse_event("message", "{\"a\":1}"), "event: message\ndata: {\"a\":1}\n\n");
  EXPECT_EQ(write_sse_event("", "a\nb\r\nc\rd"), "data: a\ndata: b\ndata: c\ndata: d\n\n");
  EXPECT_EQ(write_sse_event("endpoint", ""), "event: endpoint\ndata: \n\n");
  EXPECT_EQ(write_sse_comment("a\nb"), ": a b\n\n");
  EXPECT_EQ(write_chunk("0123456789abcdef"), "10\r\n0123456789abcdef\r\n");
}

}  // namespace
}  // namespace cmcp::http
