// SessionTable: the legacy sessions of Streamable HTTP: made by initialize, found by id, set up
// again from an authentic id after a restart, ended by DELETE or by not being used. Reactor thread
// only.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "http/responder.h"
#include "mcp/engine.h"
#include "net/reactor.h"
#include "transport/ended_sessions.h"
#include "transport/session_ids.h"

namespace cmcp::transport {

struct HttpSession {
  std::string id;
  SessionClaims claims;
  std::shared_ptr<mcp::Session> session;
  WallTime last_used;
  // The GET stream, when one is open.
  std::shared_ptr<http::Responder> stream;
  std::shared_ptr<void> stream_slot;
};

struct SessionTableOptions {
  std::string key;      // 32 bytes; empty: a random one, and no session survives a restart
  HostPath ended_file;  // "" = memory only
  std::chrono::seconds idle{24 * 3600};
  std::chrono::seconds max_age{30 * 24 * 3600};
  std::size_t max_sessions = 10'000;
  std::chrono::milliseconds sweep_every{60'000};
  std::function<WallTime()> clock = [] { return std::chrono::system_clock::now(); };
};

class SessionTable {
 public:
  SessionTable(net::Reactor& reactor, SessionTableOptions options);

  // False when max_sessions are in use at this moment: initialize is refused.
  bool has_room();
  // Gives `session`, whose revision is agreed on, an id.
  std::shared_ptr<HttpSession> add(std::shared_ptr<mcp::Session> session);
  // The session of an authentic id of this principal that has not ended; nullptr otherwise. Counts
  // as use.
  std::shared_ptr<HttpSession> find(std::string_view id, const auth::Principal& principal);
  // Ends it for good: its id is refused from now on. Its stream is ended too.
  void end(const std::shared_ptr<HttpSession>& session);
  // Ends what was not used for the idle time and has neither a call nor a stream.
  void sweep();
  std::size_t size() const { return sessions_.size(); }

 private:
  bool in_use(const std::shared_ptr<HttpSession>& session) const;
  bool expired(const HttpSession& session, WallTime now) const;
  void sweep_later();

  SessionTableOptions options_;
  SessionIds ids_;
  EndedSessions ended_;
  std::unordered_map<std::string, std::shared_ptr<HttpSession>> sessions_;  // by nonce
  net::Timer timer_;
};

}  // namespace cmcp::transport
