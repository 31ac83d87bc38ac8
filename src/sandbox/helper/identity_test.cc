#include "sandbox/helper/identity.h"

#include <gtest/gtest.h>

namespace cmcp::sandbox {
namespace {

TEST(Identity, TheLineOfTheUserWins) {
  EXPECT_EQ(*choose_slot_uids("a:100000:65536\ncontainer-mcp:300000:64\n", "container-mcp", 64),
            300000u);
}

TEST(Identity, ATooShortLineIsLeftAlone) {
  EXPECT_EQ(*choose_slot_uids("container-mcp:300000:8\n", "container-mcp", 64), kFirstSlotUid);
}

TEST(Identity, RangesOfOthersAreAvoided) {
  const std::string first = std::to_string(kFirstSlotUid);
  EXPECT_EQ(*choose_slot_uids("", "container-mcp", 64), kFirstSlotUid);
  EXPECT_EQ(*choose_slot_uids("b:" + first + ":100\n", "container-mcp", 64), kFirstSlotUid + 100);
  EXPECT_EQ(
      *choose_slot_uids("b:" + std::to_string(kFirstSlotUid + 63) + ":1\n", "container-mcp", 64),
      kFirstSlotUid + 64);
  EXPECT_EQ(
      *choose_slot_uids("c:" + std::to_string(kFirstSlotUid + 120) + ":10\nb:" + first + ":100\n",
                        "container-mcp", 64),
      kFirstSlotUid + 130);
  EXPECT_FALSE(choose_slot_uids("b:" + first + ":9999999999\n", "container-mcp", 64).ok());
}

TEST(Identity, OddLinesAreIgnored) {
  EXPECT_EQ(*choose_slot_uids("# comment\n::\nx:y:z\nb:-5:10\n\n", "container-mcp", 64),
            kFirstSlotUid);
}

}  // namespace
}  // namespace cmcp::sandbox
