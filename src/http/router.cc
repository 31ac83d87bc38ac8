#include "http/router.h"

#include <algorithm>

namespace cmcp::http {

const Route* Router::find(std::string_view method, std::string_view path) const {
  for (const Route& route : routes_) {
    if (route.path != path) continue;
    if (route.method == method || (method == "HEAD" && route.method == "GET" && route.head_too)) {
      return &route;
    }
  }
  return nullptr;
}

std::vector<std::string> Router::methods(std::string_view path) const {
  std::vector<std::string> found;
  for (const Route& route : routes_) {
    if (route.path != path) continue;
    found.push_back(route.method);
    if (route.head_too) found.emplace_back("HEAD");
  }
  if (!found.empty()) found.emplace_back("OPTIONS");
  return found;
}

bool Router::is_open(std::string_view path) const {
  return std::any_of(routes_.begin(), routes_.end(), [&](const Route& route) {
    return route.path == path && route.access == Access::kOpen;
  });
}

}  // namespace cmcp::http
