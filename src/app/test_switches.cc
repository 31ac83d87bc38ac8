#include "app/test_switches.h"

#include "base/strings.h"
#include "sandbox/helper/profile.h"

namespace cmcp::app {

#ifdef CMCP_TEST_SWITCHES
namespace {

Result<std::uint32_t> layers(const std::string& list) {
  std::uint32_t bits = 0;
  for (const std::string& name : split_list(list)) {
    std::uint32_t bit = 0;
    for (const sandbox::Layer layer : sandbox::kLayers) {
      if (name == sandbox::name_of(layer)) bit = 1U << static_cast<unsigned>(layer);
    }
    if (bit == 0)
      return Error(ErrorCode::kInvalidArgument,
                   "CMCP_TEST_DISABLE_LAYER: there is no layer " + name);
    bits |= bit;
  }
  return bits;
}

}  // namespace

Result<TestSwitches> test_switches(const config::Environment& environment) {
  TestSwitches switches;
  CMCP_TRY(switches.disabled_layers, layers(environment.get("CMCP_TEST_DISABLE_LAYER")));
  switches.no_cgroup = environment.has("CMCP_TEST_NO_CGROUP");
  switches.no_idmap = environment.has("CMCP_TEST_NO_IDMAP");
  switches.deny_user_namespaces = environment.has("CMCP_TEST_DENY_USERNS");
  switches.in_container = environment.has("CMCP_TEST_CONTAINER");
  switches.no_container_check = environment.has("CMCP_TEST_NO_CONTAINER_CHECK");
  switches.no_parser = environment.has("CMCP_TEST_DISABLE_PARSER");
  return switches;
}
#else
Result<TestSwitches> test_switches(const config::Environment&) {
  return TestSwitches{};
}
#endif

}  // namespace cmcp::app
