#include "transport/session_table.h"

#include <algorithm>

namespace cmcp::transport {

SessionTable::SessionTable(net::Reactor& reactor, SessionTableOptions options)
    : options_(std::move(options)),
      ids_(options_.key.empty() ? random_session_key() : options_.key, options_.max_age),
      ended_(options_.ended_file, options_.clock()),
      timer_(reactor) {
  sweep_later();
}

void SessionTable::sweep_later() {
  timer_.start(options_.sweep_every, [this] {
    sweep();
    sweep_later();
  });
}

// Whoever answers a call of a session holds it, and so does nobody else.
bool SessionTable::in_use(const std::shared_ptr<HttpSession>& session) const {
  return session.use_count() > 1 || session->stream != nullptr;
}

bool SessionTable::expired(const HttpSession& session, WallTime now) const {
  return now - session.last_used > options_.idle || now > ids_.expiry(session.claims);
}

bool SessionTable::has_room() {
  if (sessions_.size() < options_.max_sessions) return true;
  // A session that nobody uses can leave the table without ending: its id brings it back.
  auto oldest = sessions_.end();
  for (auto it = sessions_.begin(); it != sessions_.end(); ++it) {
    if (in_use(it->second)) continue;
    if (oldest == sessions_.end() || it->second->last_used < oldest->second->last_used) oldest = it;
  }
  if (oldest == sessions_.end()) return false;
  sessions_.erase(oldest);
  return true;
}

std::shared_ptr<HttpSession> SessionTable::add(std::shared_ptr<mcp::Session> session) {
  const WallTime now = options_.clock();
  auto minted = ids_.mint(session->revision, session->principal, now);
  auto added = std::make_shared<HttpSession>();
  added->id = std::move(minted.id);
  added->claims = std::move(minted.claims);
  added->session = std::move(session);
  added->last_used = now;
  sessions_[added->claims.nonce] = added;
  return added;
}

std::shared_ptr<HttpSession> SessionTable::find(std::string_view id,
                                                const auth::Principal& principal) {
  const WallTime now = options_.clock();
  const auto claims = ids_.verify(id, principal, now);
  if (!claims || !mcp::is_legacy_revision(claims->revision) || ended_.contains(claims->nonce))
    return nullptr;
  if (const auto it = sessions_.find(claims->nonce); it != sessions_.end()) {
    const auto found = it->second;
    if (expired(*found, now) && found.use_count() == 2 && found->stream == nullptr) {
      end(found);
      return nullptr;
    }
    found->last_used = now;
    return found;
  }
  if (!has_room()) return nullptr;
  auto session = std::make_shared<mcp::Session>();
  session->principal = principal;
  session->transport = "http";
  session->revision = claims->revision;
  session->initialized = true;
  auto revived = std::make_shared<HttpSession>();
  revived->id = id;
  revived->claims = *claims;
  revived->session = std::move(session);
  revived->last_used = now;
  sessions_[claims->nonce] = revived;
  return revived;
}

void SessionTable::end(const std::shared_ptr<HttpSession>& session) {
  ended_.add(session->claims.nonce, ids_.expiry(session->claims));
  if (const auto stream = std::exchange(session->stream, nullptr)) stream->end_sse();
  session->stream_slot.reset();
  sessions_.erase(session->claims.nonce);
}

void SessionTable::sweep() {
  const WallTime now = options_.clock();
  std::vector<std::shared_ptr<HttpSession>> over;
  for (const auto& [nonce, session] : sessions_) {
    if (!in_use(session) && expired(*session, now)) over.push_back(session);
  }
  for (const auto& session : over) end(session);
  ended_.sweep(now);
}

}  // namespace cmcp::transport
