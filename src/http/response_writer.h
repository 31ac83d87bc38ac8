// The bytes of responses and server-sent events. Pure.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "http/message.h"

namespace cmcp::http {

enum class Connection { kKeepAlive, kClose };
enum class Body { kSend, kOmit };  // kOmit: the answer to HEAD

// A whole response with `extra` headers added. Header values that contain line ends are dropped.
std::string write_response(const Response& response, const Headers& extra, int minor_version,
                           Connection connection, Body body,
                           std::chrono::system_clock::time_point now);

// The head of an event stream: chunked for HTTP/1.1, ended by closing for 1.0.
std::string write_sse_head(const Headers& extra, int minor_version, Connection connection,
                           std::chrono::system_clock::time_point now);
// "event: …" (none when empty), one "data: …" for each line of data, an empty line.
std::string write_sse_event(std::string_view event, std::string_view data);
std::string write_sse_comment(std::string_view text);

std::string write_chunk(std::string_view data);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

}  // namespace cmcp::http
