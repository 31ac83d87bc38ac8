#include "os/apparmor.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "os/file.h"

namespace cmcp::os {
namespace {

TEST(AppArmor, ALabelHasItsModeApart) {
  const auto one = parse_apparmor_label("container-mcp//bash (enforce)\n");
  EXPECT_EQ(one.label, "container-mcp//bash");
  EXPECT_EQ(one.mode, "enforce");
  EXPECT_TRUE(one.confined());
  const auto none = parse_apparmor_label("unconfined\n");
  EXPECT_EQ(none.label, "unconfined");
  EXPECT_FALSE(none.confined());
  EXPECT_FALSE(parse_apparmor_label("container-mcp (unconfined)").confined());
  EXPECT_EQ(parse_apparmor_label(std::string_view("a (b) (complain)\0", 17)).label, "a (b)");
}

TEST(AppArmor, AStackIncludesItsProfilesAndNoOther) {
  const auto stack = parse_apparmor_label("container-mcp//&container-mcp//bash (enforce)");
  EXPECT_TRUE(stack.includes("container-mcp"));
  EXPECT_TRUE(stack.includes("container-mcp//bash"));
  EXPECT_FALSE(stack.includes("bash"));
  EXPECT_FALSE(stack.includes("container-mcp//python"));
  EXPECT_FALSE(stack.includes(""));
}

TEST(AppArmor, OnlyAProcfsIsBelieved) {
  const auto directory = open_at(AT_FDCWD, "/tmp", O_PATH | O_DIRECTORY);
  ASSERT_TRUE(directory.ok());
  const auto refused =
      open_apparmor_attribute(directory->get(), AppArmorAttribute::kCurrent, AttributeUse::kRead);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message().find("no procfs"), std::string::npos);
}

// Whatever this kernel has, the answer is a label or an error, never an empty label.
TEST(AppArmor, TheOwnLabelIsReadOrRefused) {
  const auto proc = open_at(AT_FDCWD, "/proc", O_PATH | O_DIRECTORY);
  ASSERT_TRUE(proc.ok());
  const auto attribute =
      open_apparmor_attribute(proc->get(), AppArmorAttribute::kCurrent, AttributeUse::kRead);
  if (!attribute.ok()) {
    EXPECT_EQ(attribute.error().code(), ErrorCode::kNotFound);
    return;
  }
  const auto label = read_apparmor_label(attribute->get());
  EXPECT_TRUE(!label.ok() || !label->label.empty());
}

}  // namespace
}  // namespace cmcp::os
