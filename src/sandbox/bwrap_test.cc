#include "sandbox/bwrap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "sandbox/helper/bwrap_arguments.h"

namespace cmcp::sandbox {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

TEST(BwrapVersion, IsFoundInWhatItPrints) {
  EXPECT_EQ(text_of(find_version("bubblewrap 0.8.0\n").value()), "0.8.0");
  EXPECT_EQ(text_of(find_version("bubblewrap 0.12").value()), "0.12.0");
  EXPECT_EQ(text_of(find_version("firejail version 0.9.72\n\nCompile").value()), "0.9.72");
  EXPECT_FALSE(find_version("").ok());
  EXPECT_FALSE(find_version("bubblewrap").ok());
  EXPECT_FALSE(find_version("1").ok());
  EXPECT_FALSE(find_version("9999999999999999999.1").ok());
}

TEST(BwrapVersion, NumbersAreComparedAsNumbers) {
  EXPECT_LT((Version{0, 9, 0}), (Version{0, 12, 0}));
  EXPECT_LT((Version{0, 11, 9}), (Version{0, 12, 0}));
}

TEST(BwrapVersion, OldOnesAreToldOrRefused) {
  const auto refused = judge_bwrap({0, 4, 1});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message(), HasSubstr("install 0.5.0 or later"));
  const Bwrap debian = judge_bwrap({0, 8, 0}).value();
  EXPECT_TRUE(debian.disable_userns);
  EXPECT_THAT(debian.notes, Contains(HasSubstr("CVE-2026-87766")));
  EXPECT_FALSE(judge_bwrap({0, 6, 2}).value().disable_userns);
  EXPECT_TRUE(judge_bwrap({0, 12, 0}).value().notes.empty());
}

TEST(BwrapWorkspaces, NoneLiesBelowAnother) {
  EXPECT_TRUE(check_bwrap_workspaces({{{"/a"}, "", false}}).ok());
  EXPECT_TRUE(check_bwrap_workspaces({{{"/a"}, "x", false}, {{"/b"}, "y", false}}).ok());
  const Status refused = check_bwrap_workspaces({{{"/a"}, "", false}, {{"/b"}, "y", false}});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message(), HasSubstr("Serve one workspace without a name"));
}

BwrapView view() {
  BwrapView view;
  view.root = "/n";
  view.binds = {{"/b/t0", "/tmp"}, {"/b/w0", "/workspace"}};
  view.covered = {"/proc/kcore"};
  view.environment = {"PATH=/bin", "EMPTY=", "WITH=a=b", "=bad", "bad"};
  view.hostname = "sandbox";
  view.disable_userns = true;
  return view;
}

TEST(BwrapArguments, HoldEveryLayerAndCreateNothing) {
  const auto arguments = bwrap_arguments(view());
  for (const char* wanted :
       {"--unshare-all", "--unshare-user", "--unshare-cgroup", "--disable-userns", "--cap-drop",
        "--new-session", "--die-with-parent", "--as-pid-1", "--clearenv"})
    EXPECT_THAT(arguments, Contains(wanted));
  // What writes below a mount that exists by then: the hole of CVE-2026-87766.
  for (const char* creating :
       {"--file", "--bind-data", "--ro-bind-data", "--dir", "--symlink", "--tmpfs", "--dev",
        "--mqueue", "--chmod", "--share-net", "--cap-add", "--keep-fd"})
    EXPECT_THAT(arguments, Not(Contains(creating)));
}

TEST(BwrapArguments, WritableBindsComeLast) {
  const auto arguments = bwrap_arguments(view());
  const auto first = std::find(arguments.begin(), arguments.end(), "--bind");
  ASSERT_NE(first, arguments.end());
  for (const char* other : {"--ro-bind", "--dev-bind", "--proc"})
    EXPECT_EQ(std::find(first, arguments.end(), other), arguments.end()) << other;
}

TEST(BwrapArguments, EnvironmentIsTheWholeOfItAndMalformedEntriesAreLeftOut) {
  const auto arguments = bwrap_arguments(view());
  const auto cleared = std::find(arguments.begin(), arguments.end(), "--clearenv");
  const std::vector<std::string> rest(cleared, arguments.end());
  EXPECT_EQ(rest, (std::vector<std::string>{"--clearenv", "--setenv", "PATH", "/bin", "--setenv",
                                            "EMPTY", "", "--setenv", "WITH", "a=b"}));
  EXPECT_EQ(nul_separated({"a", "", "b"}), std::string("a\0\0b\0", 5));
}

}  // namespace
}  // namespace cmcp::sandbox
