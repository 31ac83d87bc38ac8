// Principal: who a request comes from. It travels from the transport to the managers;
// authentication only fills it.
#pragma once

#include <string>

namespace cmcp::auth {

struct Principal {
  std::string id = "local";  // "local" without authentication; of a token: its configured name
  bool operator==(const Principal&) const = default;
};

}  // namespace cmcp::auth
