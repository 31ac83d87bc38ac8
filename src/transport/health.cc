#include "transport/health.h"

namespace cmcp::transport {

void add_health_route(http::Router& router, Authentication authentication,
                      std::function<json::Object()> details) {
  router.add({"GET", "/health", http::Access::kOpen, true,
              [authentication, details = std::move(details)](
                  const http::Request& request, const std::shared_ptr<http::Responder>& responder) {
                json::Object body{{"status", "ok"}};
                const bool entitled = authentication == Authentication::kOn ? request.authenticated
                                                                            : request.peer_loopback;
                if (entitled) {
                  for (const auto& member : details()) body[member.key()] = member.value();
                }
                http::Response response = http::Response::json(200, json::write(body));
                response.headers.add("Cache-Control", "no-store");
                responder->respond(std::move(response));
              }});
}

}  // namespace cmcp::transport
