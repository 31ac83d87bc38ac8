#include "http/guards.h"

#include <algorithm>
#include <array>

#include "base/strings.h"

namespace cmcp::http {

namespace {

constexpr std::string_view kAllowedHeaders =
    "Content-Type, Accept, Authorization, Mcp-Session-Id, MCP-Protocol-Version, Last-Event-ID, "
    "Mcp-Method, Mcp-Name";
constexpr std::string_view kExposedHeaders = "Mcp-Session-Id, WWW-Authenticate";
constexpr std::string_view kParamPrefix = "mcp-param-";

struct HostPort {
  std::string name;  // lower case, brackets of IPv6 removed
  std::string port;  // "" when none
};

// Nothing when `text` is no host with an optional port. `*` is accepted as a port for allow-list
// entries.
std::optional<HostPort> parse_host(std::string_view text) {
  HostPort out;
  std::string_view rest;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    out.name = to_lower(text.substr(1, end - 1));
    rest = text.substr(end + 1);
  } else {
    const std::size_t colon = std::min(text.find(':'), text.size());
    out.name = to_lower(text.substr(0, colon));
    rest = text.substr(colon);
    if (out.name.ends_with('.')) out.name.pop_back();
  }
  if (out.name.empty()) return std::nullopt;
  if (out.name.find_first_of("/@?#\\ \t,") != std::string::npos) return std::nullopt;
  if (rest.empty()) return out;
  if (rest.front() != ':') return std::nullopt;
  out.port = rest.substr(1);
  const bool digits = out.port.find_first_not_of("0123456789") == std::string::npos;
  if (out.port != "*" && (!digits || out.port.empty() || out.port.size() > 5)) return std::nullopt;
  return out;
}

bool is_ipv4_literal(std::string_view name) {
  return name.find_first_not_of("0123456789.") == std::string_view::npos &&
         std::count(name.begin(), name.end(), '.') == 3;
}

bool is_loopback_name(std::string_view name) {
  return name == "localhost" || name == "::1" ||
         (is_ipv4_literal(name) && name.starts_with("127."));
}

bool entry_matches(const std::string& entry, const HostPort& host) {
  const std::optional<HostPort> allowed = parse_host(strip(entry));
  if (!allowed || allowed->name != host.name) return false;
  return allowed->port.empty() || allowed->port == "*" || allowed->port == host.port;
}

}  // namespace

void Guards::add_bound_address(const std::string& address) {
  if (address == "0.0.0.0" || address == "::") return;
  bound_.push_back(to_lower(address));
}

bool Guards::host_allowed(std::string_view host) const {
  const std::optional<HostPort> parsed = parse_host(host);
  if (!parsed || parsed->port == "*") return false;
  if (is_loopback_name(parsed->name)) return true;
  if (std::find(bound_.begin(), bound_.end(), parsed->name) != bound_.end()) return true;
  return std::any_of(options_.hosts.begin(), options_.hosts.end(),
                     [&](const std::string& entry) { return entry_matches(entry, *parsed); });
}

bool Guards::origin_allowed(std::string_view origin) const {
  for (const std::string& entry : options_.origins) {
    if (equals_ignore_case(strip(entry), origin)) return true;
  }
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!equals_ignore_case(origin.substr(0, scheme.size()), scheme)) continue;
    const std::optional<HostPort> parsed = parse_host(origin.substr(scheme.size()));
    return parsed && parsed->port != "*" && is_loopback_name(parsed->name);
  }
  return false;
}

std::optional<std::string> Guards::refusal(const Request& request) const {
  std::vector<std::string_view> hosts;
  if (const auto host = request.headers.find("Host")) hosts.push_back(*host);
  if (!request.authority.empty()) hosts.emplace_back(request.authority);
  for (const std::string_view host : hosts) {
    if (host_allowed(host)) continue;
    return "the Host header \"" + printable(host, 100) +
           "\" is not a name of this server; use localhost, or add the name to MCP_ALLOWED_HOSTS";
  }
  const std::size_t origins = request.headers.count("Origin");
  if (origins == 0) return std::nullopt;
  const std::string_view origin = *request.headers.find("Origin");
  if (origins == 1 && origin_allowed(origin)) return std::nullopt;
  return "requests from the origin \"" + printable(origin, 100) +
         "\" are refused; add it to MCP_ALLOWED_ORIGINS if that page may use this server";
}

bool Guards::is_preflight(const Request& request) {
  return request.method == "OPTIONS" && request.headers.find("Origin").has_value() &&
         request.headers.find("Access-Control-Request-Method").has_value();
}

Headers Guards::cors_headers(const Request& request) {
  Headers headers;
  const auto origin = request.headers.find("Origin");
  if (!origin) return headers;
  headers.add("Access-Control-Allow-Origin", std::string(*origin));
  headers.add("Vary", "Origin");
  headers.add("Access-Control-Expose-Headers", std::string(kExposedHeaders));
  return headers;
}

Response Guards::preflight_response(const Request& request,
                                    const std::vector<std::string>& methods) {
  Response response = Response::empty(204);
  std::string allowed(kAllowedHeaders);
  const auto asked = request.headers.find("Access-Control-Request-Headers");
  for (const std::string& name : split_list(asked.value_or(""))) {
    // The names of these are not known in advance: they come from tool parameters.
    const std::string lower = to_lower(name);
    if (lower.starts_with(kParamPrefix) &&
        lower.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_") == std::string::npos) {
      allowed += ", " + name;
    }
  }
  response.headers.add("Access-Control-Allow-Methods", join(methods, ", "));
  response.headers.add("Access-Control-Allow-Headers", allowed);
  response.headers.add("Access-Control-Max-Age", "600");
  return response;
}

Status check_bind(const std::string& host, bool has_token, bool allow_unauthenticated) {
  const std::string name = to_lower(host);
  if (has_token || allow_unauthenticated || is_loopback_name(name) || name.empty()) return {};
  return Error(ErrorCode::kInvalidArgument,
               "MCP_HOST " + host +
                   " can be reached by other machines, and anybody who reaches this server can run "
                   "programs. "
                   "Set MCP_AUTH_TOKEN to a secret that clients must send, or, where access is "
                   "limited in another way, "
                   "set MCP_ALLOW_UNAUTHENTICATED=true");
}

}  // namespace cmcp::http
