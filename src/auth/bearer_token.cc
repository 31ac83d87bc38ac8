#include "auth/bearer_token.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include "base/strings.h"

namespace cmcp::auth {

namespace {

constexpr std::string_view kScheme = "bearer ";

}  // namespace

BearerTokens::Digest BearerTokens::digest_of(std::string_view token) {
  Digest digest{};
  SHA256(reinterpret_cast<const unsigned char*>(token.data()), token.size(), digest.data());
  return digest;
}

void BearerTokens::add(std::string_view token, Principal principal) {
  if (token.empty()) return;
  entries_.push_back({digest_of(token), std::move(principal)});
}

std::optional<Principal> BearerTokens::check(std::string_view authorization) const {
  if (authorization.size() <= kScheme.size() ||
      !equals_ignore_case(authorization.substr(0, kScheme.size()), kScheme)) {
    return std::nullopt;
  }
  const std::string_view token = strip(authorization.substr(kScheme.size()));
  if (token.empty()) return std::nullopt;
  // Equal-length digests instead of the tokens, and no early end: time tells neither length nor
  // prefix nor position.
  const Digest given = digest_of(token);
  const Principal* owner = nullptr;
  for (const Entry& entry : entries_) {
    if (CRYPTO_memcmp(given.data(), entry.digest.data(), given.size()) == 0)
      owner = &entry.principal;
  }
  if (owner == nullptr) return std::nullopt;
  return *owner;
}

}  // namespace cmcp::auth
