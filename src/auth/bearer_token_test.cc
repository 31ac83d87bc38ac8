#include "auth/bearer_token.h"

#include <gtest/gtest.h>

namespace cmcp::auth {
namespace {

TEST(BearerTokens, FindsTheOwner) {
  BearerTokens tokens;
  EXPECT_TRUE(tokens.empty());
  tokens.add("alpha-token", {"alice"});
  tokens.add("beta-token", {"bob"});
  EXPECT_FALSE(tokens.empty());
  EXPECT_EQ(tokens.check("Bearer alpha-token")->id, "alice");
  EXPECT_EQ(tokens.check("bearer  beta-token ")->id, "bob");
}

TEST(BearerTokens, RefusesAnythingElse) {
  BearerTokens tokens;
  tokens.add("alpha-token", {"alice"});
  tokens.add("", {"nobody"});
  for (const char* value : {"", "Bearer", "Bearer ", "Bearer alpha-toke", "Bearer alpha-token2",
                            "Bearer ALPHA-TOKEN", "Basic alpha-token", "alpha-token",
                            "Bearer alpha-token, Bearer alpha-token", "Beareralpha-token"}) {
    EXPECT_FALSE(tokens.check(value).has_value()) << value;
  }
}

}  // namespace
}  // namespace cmcp::auth
