#include "sandbox/helper/payload_label.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "os/file.h"

namespace cmcp::sandbox {
namespace {

TEST(PayloadLabel, EveryProfileHasOneOfTwo) {
  EXPECT_EQ(apparmor_profile_of("bash"), "container-mcp//bash");
  EXPECT_EQ(apparmor_profile_of("python"), "container-mcp//python");
  EXPECT_EQ(apparmor_profile_of("probe.python"), "container-mcp//python");
  EXPECT_EQ(apparmor_profile_of("probe.bash"), "container-mcp//bash");
  EXPECT_EQ(apparmor_profile_of("pythonic"), "container-mcp//bash");
}

// Nothing of that name is loaded anywhere: no label, a reason that says which case it is, and this
// process keeps its own label.
TEST(PayloadLabel, AProfileThatIsNotLoadedGivesNoLabel) {
  const auto proc = os::open_at(AT_FDCWD, "/proc", O_PATH | O_DIRECTORY);
  ASSERT_TRUE(proc.ok());
  const auto choice = choose_label(proc->get(), "container-mcp-test//nobody-loads-this");
  ASSERT_TRUE(choice.ok()) << choice.error().message();
  EXPECT_FALSE(choice->label.has_value());
  EXPECT_TRUE(choice->reason.find("no AppArmor") != std::string::npos ||
              choice->reason.find("not enabled") != std::string::npos ||
              choice->reason.find("not loaded") != std::string::npos)
      << choice->reason;
}

}  // namespace
}  // namespace cmcp::sandbox
