// Request, Response, Headers: HTTP messages as plain values.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "auth/principal.h"

namespace cmcp::http {

// Header fields in the order received; names match in any case.
class Headers {
 public:
  void add(std::string name, std::string value);
  // The value of the first field of that name, nothing when there is none.
  std::optional<std::string_view> find(std::string_view name) const;
  // How many fields have that name: above 1 where the sender repeated it.
  std::size_t count(std::string_view name) const;
  const std::vector<std::pair<std::string, std::string>>& all() const { return fields_; }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

struct Request {
  std::string method;     // "GET"
  std::string path;       // "/mcp", not decoded, without query
  std::string query;      // without "?"
  std::string authority;  // of an absolute-form target, else ""
  int minor_version = 1;  // HTTP/1.0 or 1.1
  Headers headers;
  std::string body;

  // Filled by the server before routing.
  bool peer_loopback = false;
  std::string peer_address;
  auth::Principal principal;
  bool authenticated = false;  // true only when a token was asked for and was right

  // A parameter of the query, percent-decoded; nothing when absent or badly encoded.
  std::optional<std::string> query_parameter(std::string_view name) const;
};

struct Response {
  int status = 200;
  Headers headers;  // Content-Length, Date and Connection are added when it is sent
  std::string body;

  static Response json(int status, std::string body);
  static Response text(int status, std::string body);
  static Response empty(int status);
};

// "Not Found" for 404.
std::string_view reason_phrase(int status);

}  // namespace cmcp::http
