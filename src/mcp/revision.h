// Revisions of the protocol and what differs between them on the wire.
#pragma once

#include <string>
#include <string_view>

namespace cmcp::mcp {

// What may be sent to a client of a revision.
struct Features {
  bool annotations = false;       // tool annotations: from 2025-03-26
  bool progress_message = false;  // from 2025-03-26
  bool titles = false;            // title of tools and of the server: from 2025-06-18
  bool structured = false;        // structuredContent and outputSchema: from 2025-06-18
  bool modern = false;            // resultType, serverInfo in _meta: 2026-07-28
};

// Of a revision that exists; "" (nothing agreed on yet) counts as the latest legacy one.
Features features_of(std::string_view revision);

// The revision that a server answers initialize with: the requested one if it is a legacy revision,
// else the latest.
std::string negotiate(std::string_view requested);

}  // namespace cmcp::mcp
