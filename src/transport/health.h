// /health: {"status":"ok"} for everybody who passes the guards, details for those who may see them.
#pragma once

#include <functional>

#include "http/router.h"
#include "json/json.h"

namespace cmcp::transport {

enum class Authentication { kOff, kOn };

// `details` is asked at each request for what is added to the status: level, layers, version.
// With authentication it goes to requests with a valid token only, without to loopback peers only.
void add_health_route(http::Router& router, Authentication authentication,
                      std::function<json::Object()> details);

}  // namespace cmcp::transport
