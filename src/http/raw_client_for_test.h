// RawClient: a blocking TCP client for tests that sends exactly the bytes it is given. Not used
// outside tests.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/strings.h"

namespace cmcp::http {

struct RawResponse {
  int status = 0;  // 0: the connection ended, or nothing came within ten seconds
  std::string head;
  std::string body;
  // The value of a header field, nothing when absent.
  std::optional<std::string> header(std::string_view name) const {
    for (const std::string& line : split(head, '\n')) {
      const std::size_t colon = line.find(':');
      if (colon != std::string::npos && equals_ignore_case(line.substr(0, colon), name)) {
        return std::string(strip(line.substr(colon + 1)));
      }
    }
    return std::nullopt;
  }
};

class RawClient {
 public:
  explicit RawClient(std::uint16_t port) {
    socket_ = Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const timeval patience{10, 0};  // a safety net, not a synchronisation
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      socket_.reset();
    }
  }

  int fd() const { return socket_.get(); }
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }
  void half_close() { ::shutdown(socket_.get(), SHUT_WR); }
  void close() { socket_.reset(); }

  // One response; interim (1xx) responses are skipped. Event streams: the head only.
  RawResponse read_response(bool head_request = false) {
    for (;;) {
      RawResponse response;
      if (!fill_until("\r\n\r\n")) return response;
      const std::size_t end = buffer_.find("\r\n\r\n") + 4;
      response.head = buffer_.substr(0, end);
      buffer_.erase(0, end);
      response.status = std::atoi(response.head.substr(9, 3).c_str());
      if (response.status / 100 == 1) continue;
      const auto length = response.header("Content-Length");
      if (length && !head_request) {
        const std::size_t bytes = static_cast<std::size_t>(std::atoll(length->c_str()));
        while (buffer_.size() < bytes && fill()) {
        }
        response.body = buffer_.substr(0, bytes);
        buffer_.erase(0, bytes);
      }
      return response;
    }
  }
  // Everything up to and with `mark`; "" when the connection ended before.
  std::string read_until(std::string_view mark) {
    if (!fill_until(mark)) return {};
    const std::size_t end = buffer_.find(mark) + mark.size();
    std::string out = buffer_.substr(0, end);
    buffer_.erase(0, end);
    return out;
  }
  // Everything until the server ends the connection.
  std::string read_to_end() {
    while (fill()) {
    }
    return std::exchange(buffer_, {});
  }
  bool at_end() { return buffer_.empty() && !fill() && !timed_out_; }

 private:
  bool fill() {
    char piece[16384];
    const ssize_t n = ::recv(socket_.get(), piece, sizeof piece, 0);
    if (n < 0 && errno == EAGAIN) timed_out_ = true;
    if (n <= 0) return false;
    buffer_.append(piece, static_cast<std::size_t>(n));
    return true;
  }
  bool fill_until(std::string_view mark) {
    while (buffer_.find(mark) == std::string::npos) {
      if (!fill()) return false;
    }
    return true;
  }

  Fd socket_;
  std::string buffer_;
  bool timed_out_ = false;
};

}  // namespace cmcp::http
