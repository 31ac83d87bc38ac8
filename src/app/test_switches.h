// Test switches: what a test may leave out to prove that the product notices. They exist only in
// builds with CMCP_TEST_SWITCHES (dev, clang, asan, tsan, coverage); a release reads none of them.
//   CMCP_TEST_DISABLE_LAYER=NAME[,NAME…]  the launcher leaves these layers out (names as in doctor
//   --json) CMCP_TEST_NO_CGROUP=1                 as if no cgroup could be written
//   CMCP_TEST_NO_IDMAP=1                  as if idmapped mounts did not work
//   CMCP_TEST_DENY_USERNS=1               as if the system denied user namespaces (Ubuntu 24.04)
//   CMCP_TEST_CONTAINER=1                 as if this were a container: no Firejail
//   CMCP_TEST_NO_CONTAINER_CHECK=1        Firejail is started all the same: its effect is compared
//   CMCP_TEST_DISABLE_PARSER=1            the allow-list's early parse is left out; the kernel's
//   rule stays
#pragma once

#include <cstdint>

#include "base/result.h"
#include "config/env.h"

namespace cmcp::app {

struct TestSwitches {
  std::uint32_t disabled_layers = 0;  // bit 1 << Layer
  bool no_cgroup = false;
  bool no_idmap = false;
  bool deny_user_namespaces = false;
  bool in_container = false;
  bool no_container_check = false;
  bool no_parser = false;
};

// kInvalidArgument for a layer that does not exist. All off in a release.
Result<TestSwitches> test_switches(const config::Environment& environment);

}  // namespace cmcp::app
