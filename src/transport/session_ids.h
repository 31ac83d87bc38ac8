// SessionIds: the names of legacy Streamable HTTP sessions. An id carries what is needed to set its
// session up again after a restart, signed with a key that is kept, so that clients which never
// repeat `initialize` go on working: base64url(nonce 16 ∥ issued 8 ∥ revision 4 ∥ HMAC-SHA256 32),
// the principal being part of what is signed. A session id is no authentication.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "auth/principal.h"
#include "base/result.h"
#include "base/types.h"

namespace cmcp::transport {

using WallTime = std::chrono::system_clock::time_point;

// 32 random bytes.
std::string random_session_key();

// 32 random hex digits.
std::string random_session_name();

// The key in the file, made first (0600, atomically) where there is none. kInvalidArgument for a
// file that is no key or that others can read, kIo.
Result<std::string> load_or_create_session_key(const HostPath& path);

struct SessionClaims {
  std::string nonce;     // 32 hex digits, unique
  std::string revision;  // "2025-06-18"
  WallTime issued;
};

class SessionIds {
 public:
  // Ids older than `max_age` are not valid any more.
  SessionIds(std::string key, std::chrono::seconds max_age);

  struct Minted {
    std::string id;
    SessionClaims claims;
  };
  // A new id. `revision` is a date "YYYY-MM-DD".
  Minted mint(std::string_view revision, const auth::Principal& principal, WallTime now) const;
  // What an authentic id says; nothing when it is forged, of another principal, or too old.
  std::optional<SessionClaims> verify(std::string_view id, const auth::Principal& principal,
                                      WallTime now) const;
  WallTime expiry(const SessionClaims& claims) const { return claims.issued + max_age_; }

 private:
  std::string sign(std::string_view payload, const auth::Principal& principal) const;

  std::string key_;
  std::chrono::seconds max_age_;
};

}  // namespace cmcp::transport
