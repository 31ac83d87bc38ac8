#include "sandbox/level.h"

#include <errno.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace cmcp::sandbox {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

LayerReports reports_without(std::initializer_list<Layer> missing) {
  LayerReports reports;
  for (const Layer layer : kLayers) {
    const bool absent = std::find(missing.begin(), missing.end(), layer) != missing.end();
    reports.push_back({layer, !absent, absent ? "was left out" : "ok"});
  }
  return reports;
}

HostFacts debian() {
  HostFacts facts;
  facts.kernel = "6.1.0";
  facts.max_user_namespaces = 60000;
  facts.landlock_abi = 2;
  facts.seccomp_filter = true;
  facts.uid = 1001;
  return facts;
}

HostFacts ubuntu() {
  HostFacts facts = debian();
  facts.apparmor_restricts_userns = 1;
  facts.apparmor_label = "unconfined";
  return facts;
}

TEST(Level, FollowsTheLayers) {
  EXPECT_EQ(level_of(reports_without({})), Level::kL3);
  for (const Layer layer : kLayers)
    EXPECT_NE(level_of(reports_without({layer})), Level::kL3) << name_of(layer);
  EXPECT_EQ(level_of(reports_without({Layer::kNetworkNamespace})), Level::kL2);
  EXPECT_EQ(level_of(reports_without(
                {Layer::kUserNamespace, Layer::kMountNamespace, Layer::kPidNamespace})),
            Level::kL2);
  EXPECT_EQ(level_of(reports_without({Layer::kLandlock})), Level::kL1);
  EXPECT_EQ(level_of(reports_without({Layer::kSeccomp})), Level::kL0);
  EXPECT_EQ(level_of(reports_without({Layer::kMemoryLimit})), Level::kL0);
  EXPECT_EQ(level_of({}), Level::kL0);
}

TEST(Level, Parses) {
  EXPECT_EQ(parse_level("L3").value(), Level::kL3);
  EXPECT_EQ(parse_level("l0").value(), Level::kL0);
  for (const char* bad : {"", "L4", "3", "L", "none"}) {
    auto level = parse_level(bad);
    ASSERT_FALSE(level.ok()) << bad;
    EXPECT_THAT(level.error().message(), AllOf(HasSubstr("SANDBOX_REQUIRE"), HasSubstr("L3")));
  }
}

// Case DEPLOY-01: the kernel or AppArmor refuses what building a sandbox needs; the message names
// cause and fix.
TEST(Diagnosis, UbuntuForbidsUserNamespaces) {
  for (const Error& failure : {
           Error(ErrorCode::kPermissionDenied, "write /proc/self/uid_map: Permission denied",
                 EACCES),
           Error(ErrorCode::kPermissionDenied,
                 "write /proc/self/setgroups: Operation not permitted", EPERM),
           Error(
               ErrorCode::kIo,
               "bringing the loopback interface up: ioctl SIOCSIFFLAGS lo: Operation not permitted",
               EPERM),
           Error(ErrorCode::kIo, "Failed RTM_NEWADDR: Operation not permitted", EPERM),
           Error(ErrorCode::kUnavailable,
                 "mount tmpfs: Permission denied"),  // errno lost on its way
       }) {
    const Diagnosis diagnosis = diagnose_failure(failure, ubuntu());
    EXPECT_THAT(diagnosis.cause, HasSubstr("kernel.apparmor_restrict_unprivileged_userns=1"))
        << failure.message();
    EXPECT_THAT(diagnosis.fix,
                AllOf(HasSubstr("deploy/apparmor/container-mcp"), HasSubstr("apparmor_parser -r")));
    const Status status = require_level(Level::kL3, {}, failure, ubuntu());
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code(), ErrorCode::kUnavailable);
    EXPECT_THAT(status.error().message(),
                AllOf(HasSubstr("SANDBOX_REQUIRE"), HasSubstr("nothing is run"), HasSubstr("Fix:"),
                      HasSubstr("deploy/apparmor/container-mcp")));
  }
}

TEST(Diagnosis, RefusedIdMapsNameAppArmorEvenWhereItsSwitchIsNotVisible) {
  HostFacts facts = debian();
  const Error failure(ErrorCode::kUnavailable, "user namespace: write uid_map: Permission denied",
                      EACCES);
  for (const bool container : {false, true}) {
    facts.in_container = container;
    const Diagnosis diagnosis = diagnose_failure(failure, facts);
    EXPECT_THAT(diagnosis.cause, HasSubstr("kernel.apparmor_restrict_unprivileged_userns"));
    EXPECT_THAT(diagnosis.fix, HasSubstr("deploy/apparmor/container-mcp.in"));
    EXPECT_EQ(diagnosis.fix.find("unmask=ALL") != std::string::npos, container);
  }
}

TEST(Diagnosis, SwitchedOffByDebianOrBySysctl) {
  const Error failure(ErrorCode::kPermissionDenied,
                      "unshare CLONE_NEWUSER: Operation not permitted", EPERM);
  HostFacts facts = debian();
  facts.unprivileged_userns_clone = 0;
  EXPECT_THAT(diagnose_failure(failure, facts).fix,
              HasSubstr("kernel.unprivileged_userns_clone=1"));
  facts.uid = 0;  // the switch does not concern root
  EXPECT_THAT(diagnose_failure(failure, facts).fix, Not(HasSubstr("unprivileged_userns_clone")));
  facts = debian();
  facts.max_user_namespaces = 0;
  const Error full(ErrorCode::kIo, "unshare CLONE_NEWUSER: No space left on device", ENOSPC);
  EXPECT_THAT(diagnose_failure(full, facts).fix, HasSubstr("user.max_user_namespaces"));
  EXPECT_THAT(diagnose_failure(failure, facts).fix, HasSubstr("user.max_user_namespaces=15000"));
}

TEST(Diagnosis, ContainersAndMaskedProc) {
  HostFacts facts = debian();
  facts.in_container = true;
  const Error clone(ErrorCode::kPermissionDenied, "clone3: Operation not permitted", EPERM);
  EXPECT_THAT(diagnose_failure(clone, facts).cause, HasSubstr("the container's seccomp filter"));
  EXPECT_THAT(diagnose_failure(clone, facts).fix,
              HasSubstr("seccomp=deploy/seccomp/container-mcp.json"));
  const Error docker(ErrorCode::kUnavailable, "clone3(): Function not implemented");
  EXPECT_THAT(diagnose_failure(docker, facts).fix, HasSubstr("seccomp=deploy/seccomp"));
  const Error name(ErrorCode::kPermissionDenied, "sethostname: Operation not permitted", EPERM);
  EXPECT_THAT(diagnose_failure(name, facts).cause, HasSubstr("the container's seccomp filter"));
  EXPECT_THAT(diagnose_failure(name, facts).fix, HasSubstr("seccomp=deploy/seccomp"));
  const Error mount(ErrorCode::kPermissionDenied, "mount /: Permission denied", EACCES);
  EXPECT_THAT(diagnose_failure(mount, facts).fix, HasSubstr("unmask=ALL"));
  facts.apparmor_label = "containers-default-0.50.1 (enforce)";
  EXPECT_THAT(diagnose_failure(mount, facts).cause,
              AllOf(HasSubstr("containers-default-0.50.1"), HasSubstr("forbids mounts")));
  EXPECT_THAT(diagnose_failure(mount, facts).fix, HasSubstr("apparmor=container-mcp"));
  facts.proc_is_masked = true;
  const Error proc(ErrorCode::kPermissionDenied,
                   "mounting /proc: mount proc: Operation not permitted", EPERM);
  EXPECT_THAT(diagnose_failure(proc, facts).cause, HasSubstr("/proc are covered"));
}

TEST(Diagnosis, AnUnknownFailureKeepsItsOwnWords) {
  const Error failure(ErrorCode::kNotFound, "cmcp-launcher: No such file or directory", ENOENT);
  EXPECT_EQ(diagnose_failure(failure, ubuntu()).cause, failure.message());
}

TEST(Diagnosis, MissingLandlock) {
  HostFacts facts = debian();
  facts.landlock_abi = 0;
  const Diagnosis diagnosis = diagnose_layer({Layer::kLandlock, false, "succeeded"}, facts);
  EXPECT_THAT(diagnosis.cause, HasSubstr("no Landlock"));
  EXPECT_THAT(diagnosis.fix, HasSubstr("5.13"));
}

TEST(RequireLevel, NamesEveryMissingLayerAndNeverMoreThanAsked) {
  EXPECT_TRUE(require_level(Level::kL3, reports_without({}), std::nullopt, debian()).ok());
  EXPECT_TRUE(
      require_level(Level::kL2, reports_without({Layer::kProc}), std::nullopt, debian()).ok());
  EXPECT_TRUE(require_level(Level::kL0, {}, Error(ErrorCode::kIo, "x"), debian()).ok());
  for (const Layer layer : kLayers) {
    const Status status =
        require_level(Level::kL3, reports_without({layer}), std::nullopt, debian());
    ASSERT_FALSE(status.ok()) << name_of(layer);
    EXPECT_THAT(status.error().message(),
                AllOf(HasSubstr(std::string("Missing ") + name_of(layer)), HasSubstr("Fix:")));
  }
}

TEST(HostFacts, AreRead) {
  const HostFacts facts = read_host_facts();
  EXPECT_FALSE(facts.kernel.empty());
  EXPECT_TRUE(facts.seccomp_filter);
  EXPECT_TRUE(facts.max_user_namespaces.has_value());
}

}  // namespace
}  // namespace cmcp::sandbox
