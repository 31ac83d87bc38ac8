// BearerTokens: who an `Authorization: Bearer …` header belongs to. Only digests of the tokens are
// kept.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/principal.h"

namespace cmcp::auth {

class BearerTokens {
 public:
  // `token` belongs to `principal`. An empty token is never accepted.
  void add(std::string_view token, Principal principal);
  // True when no token is configured: authentication is off.
  bool empty() const { return entries_.empty(); }
  // The owner of the token in the value of an Authorization header ("Bearer …", scheme in any
  // case). Nothing when it is of another scheme, malformed or unknown. Takes the same time
  // whichever token it is.
  std::optional<Principal> check(std::string_view authorization) const;

 private:
  using Digest = std::array<std::uint8_t, 32>;
  static Digest digest_of(std::string_view token);
  struct Entry {
    Digest digest;
    Principal principal;
  };
  std::vector<Entry> entries_;
};

}  // namespace cmcp::auth
