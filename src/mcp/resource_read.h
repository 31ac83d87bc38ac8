// resources/read: one reading in flight, and the wire form of its end.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "mcp/in_flight.h"
#include "mcp/revision.h"

namespace cmcp::mcp {

// How a reading ended for the client.
struct ReadEnd {
  std::function<void(Result<ResourceContent>)> answered;
  std::function<void()> cancelled;
};

// Starts reading; exactly one of `end` is called, perhaps before this returns (then the result is
// nullptr).
std::shared_ptr<InFlight> start_read(ResourceReader& reader, const auth::Principal& principal,
                                     const std::string& uri, ReadEnd end);

// The result of resources/read (without what the modern era adds).
json::Object resource_wire(const ResourceContent& content);
// The error response: not found is -32002 in the legacy era and -32602 in the modern one, with
// data.uri.
json::Value resource_error(const json::Value& id, const std::string& uri, const Error& error,
                           const Features& features);

}  // namespace cmcp::mcp
