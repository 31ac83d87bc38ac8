#include "sandbox/firejail.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cmcp::sandbox {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

os::Confinement bare() {
  return {.mount = 1,
          .pid = 2,
          .network = 3,
          .ipc = 4,
          .uts = 5,
          .no_new_privs = false,
          .seccomp_filters = 0,
          .bounding_set = 0xff};
}

os::Confinement confined() {
  return {.mount = 11,
          .pid = 12,
          .network = 13,
          .ipc = 14,
          .uts = 15,
          .no_new_privs = true,
          .seccomp_filters = 2,
          .bounding_set = 0x0f};
}

TEST(FirejailEffects, AreNamedWhenAllAreThere) {
  const auto effects = firejail_effects(bare(), confined());
  ASSERT_TRUE(effects.ok());
  EXPECT_THAT(*effects, Contains("mount namespace of its own"));
  EXPECT_THAT(*effects, Contains("seccomp filters: 0 before, 2 now"));
  EXPECT_THAT(*effects, Contains("capability bounding set: 8 before, 4 now"));
}

TEST(FirejailEffects, ANoOpIsRefused) {
  const auto effects = firejail_effects(bare(), bare());
  ASSERT_FALSE(effects.ok());
  for (const char* part : {"mount namespace is the server's", "pid namespace is the server's",
                           "network namespace is the server's", "no_new_privs is not set",
                           "no seccomp filter was added", "bounding set is what it was"})
    EXPECT_THAT(effects.error().message(), HasSubstr(part));
}

TEST(FirejailEffects, EachMissingOneIsRefusedByName) {
  const auto refusal = [](const os::Confinement& after) {
    const auto effects = firejail_effects(bare(), after);
    return effects.ok() ? std::string() : effects.error().message();
  };
  os::Confinement one = confined();
  one.network = bare().network;
  EXPECT_THAT(refusal(one), HasSubstr("network namespace"));
  EXPECT_THAT(refusal(one), Not(HasSubstr("mount namespace")));
  one = confined();
  one.no_new_privs = false;
  EXPECT_THAT(refusal(one), HasSubstr("no_new_privs"));
  one = confined();
  one.seccomp_filters = 0;
  EXPECT_THAT(refusal(one), HasSubstr("seccomp"));
  one = confined();
  one.bounding_set = 0x1ff;  // more than before
  EXPECT_THAT(refusal(one), HasSubstr("bounding set"));
  one = confined();
  one.mount = 0;  // could not be read
  EXPECT_THAT(refusal(one), HasSubstr("mount namespace"));
}

TEST(FirejailHost, ContainersAndUsersWithoutRightsAreRefused) {
  EXPECT_TRUE(judge_firejail_host({}).ok());
  FirejailHost host;
  host.kernel_processes = false;
  EXPECT_THAT(judge_firejail_host(host).error().message(), HasSubstr("this is a container"));
  host = {};
  host.no_new_privs = true;
  EXPECT_THAT(judge_firejail_host(host).error().message(), HasSubstr("NoNewPrivileges=no"));
  host.root = true;
  EXPECT_TRUE(judge_firejail_host(host).ok());
  host = {};
  host.known_user = false;
  EXPECT_THAT(judge_firejail_host(host).error().message(), HasSubstr("/etc/passwd"));
}

TEST(FirejailCommand, LeavesNamespacesToTheLauncher) {
  const auto command = firejail_command({5, 7}, false);
  EXPECT_EQ(command.front(), kFirejailProgram);
  EXPECT_EQ(command.back(), "--");
  for (const char* option : {"--noprofile", "--net=none", "--nonewprivs", "--caps.drop=all",
                             "--keep-fd=5,7", "--ipc-namespace"})
    EXPECT_THAT(command, Contains(option));
  for (const auto& word : command) {
    for (const char* needed : {"noroot", "@mount", "unshare", "setns", "clone", "pivot_root",
                               "restrict-namespaces", "@default"})
      EXPECT_THAT(word, Not(HasSubstr(needed)));
  }
  EXPECT_THAT(firejail_command({5}, true), Contains(HasSubstr("--caps.keep=sys_admin")));
}

TEST(Confinement, IsReadFromTheKernel) {
  os::Confinement parsed;
  EXPECT_TRUE(os::parse_confinement("Name:\tx\nCapBnd:\t000001ffffffffff\nNoNewPrivs:\t1\n"
                                    "Seccomp:\t2\nSeccomp_filters:\t3\n",
                                    parsed)
                  .ok());
  EXPECT_EQ(parsed.bounding_set, 0x1ffffffffffU);
  EXPECT_TRUE(parsed.no_new_privs);
  EXPECT_EQ(parsed.seccomp_filters, 3U);
  EXPECT_FALSE(os::parse_confinement("Name:\tx\n", parsed).ok());
  EXPECT_FALSE(
      os::parse_confinement("\nCapBnd:\tz\nNoNewPrivs:\t1\nSeccomp_filters:\t3\n", parsed).ok());
  const auto own = os::own_confinement();
  ASSERT_TRUE(own.ok());
  EXPECT_NE(own->mount, 0U);
}

}  // namespace
}  // namespace cmcp::sandbox
