// Guards: what is checked of every request on every path before it is routed: Host (DNS rebinding),
// Origin (foreign web pages), and the CORS headers for the origins that may call. Pure decisions,
// no I/O.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/message.h"

namespace cmcp::http {

struct GuardOptions {
  // MCP_ALLOWED_HOSTS: "name", "name:port" or "name:*"; without a port any port fits. Loopback
  // names always fit.
  std::vector<std::string> hosts;
  // MCP_ALLOWED_ORIGINS: "https://name" or "https://name:port". Loopback origins always fit.
  std::vector<std::string> origins;
};

class Guards {
 public:
  explicit Guards(GuardOptions options) : options_(std::move(options)) {}
  // An address that the server listens on is a Host name of it (wildcard addresses are not).
  void add_bound_address(const std::string& address);

  // Why the request is refused with 403 (a sentence that names the setting), nothing when it may
  // pass.
  std::optional<std::string> refusal(const Request& request) const;
  bool host_allowed(std::string_view host) const;
  bool origin_allowed(std::string_view origin) const;

  // True for the question a browser asks before a request of another origin: OPTIONS with Origin
  // and Access-Control-Request-Method. It carries no credentials and changes nothing.
  static bool is_preflight(const Request& request);
  // The answer to a preflight that passed refusal().
  static Response preflight_response(const Request& request,
                                     const std::vector<std::string>& methods);
  // What every response to `request` gets: Access-Control-Allow-Origin and the like, nothing
  // without an Origin. Precondition: the request passed refusal().
  static Headers cors_headers(const Request& request);

 private:
  GuardOptions options_;
  std::vector<std::string> bound_;
};

// Whether the server may listen on `host`: loopback always; anything else only with a token or when
// the operator has said that unauthenticated access is meant. kInvalidArgument with a message that
// names both ways.
Status check_bind(const std::string& host, bool has_token, bool allow_unauthenticated);

}  // namespace cmcp::http
