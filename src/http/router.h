// Router: which handler answers which path and method. Exact paths only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/responder.h"

namespace cmcp::http {

// kOpen: answered without a token too; the handler looks at Request::authenticated.
enum class Access { kAuthenticated, kOpen };

struct Route {
  std::string method;  // a GET route with head_too answers HEAD as well, without its body
  std::string path;
  Access access = Access::kAuthenticated;
  bool head_too = false;
  Handler handler;
};

class Router {
 public:
  void add(Route route) { routes_.push_back(std::move(route)); }
  const std::vector<Route>& routes() const { return routes_; }

  // Nullptr when nothing answers.
  const Route* find(std::string_view method, std::string_view path) const;
  // The methods of a path in the order added, OPTIONS last; empty when the path is unknown.
  std::vector<std::string> methods(std::string_view path) const;
  bool is_open(std::string_view path) const;

 private:
  std::vector<Route> routes_;
};

}  // namespace cmcp::http
