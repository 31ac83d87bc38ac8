// What a client has asked for and not got yet, by request id: what notifications/cancelled and a
// closed connection act on.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "mcp/engine.h"

namespace cmcp::mcp {

// One request that is being worked on.
class InFlight {
 public:
  virtual ~InFlight() = default;
  // The client no longer wants the answer: the work is stopped as far as it can be, no response is
  // sent, and the exchange is abandoned. Nothing happens when the request is settled already.
  virtual void cancel_by_client() = 0;
  // Answered, refused or cancelled.
  virtual bool settled() const = 0;
};

// How many calls run on one account (a session, or a principal in the modern era); cancelled ones
// count until they end.
struct CallAccount {
  std::size_t running = 0;
};

struct Session::Calls {
  std::map<std::string, std::shared_ptr<InFlight>> by_id;
  std::shared_ptr<CallAccount> account = std::make_shared<CallAccount>();
};

}  // namespace cmcp::mcp
