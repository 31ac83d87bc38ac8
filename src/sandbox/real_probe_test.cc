// The probe in real sandboxes of the product's profiles: everything holds, and each layer that is
// left out is noticed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "sandbox/level.h"
#include "sandbox/real_sandbox_fixture.h"

namespace cmcp::sandbox {
namespace {

std::string text_of(const LayerReports& reports) {
  std::string text;
  for (const auto& report : reports) {
    text += std::string(name_of(report.layer)) + (report.active ? " ok " : " NO ") + report.detail +
            "\n";
  }
  return text;
}

using LauncherProbe = RealSandbox;

TEST_F(LauncherProbe, EveryLayerHoldsInBothProfiles) {
  launch();
  for (const char* profile : {kProbeBashProfile, kProbePythonProfile}) {
    const auto reports = probe(profile);
    ASSERT_TRUE(reports.ok()) << reports.error().message();
    EXPECT_EQ(level_of(*reports), Level::kL3) << profile << "\n" << text_of(*reports);
  }
}

TEST_F(LauncherProbe, TheUnrestrictedBashProfileHoldsToo) {
  options_.restricted = false;
  launch();
  const auto reports = probe(kProbeBashProfile);
  ASSERT_TRUE(reports.ok()) << reports.error().message();
  EXPECT_EQ(level_of(*reports), Level::kL3) << text_of(*reports);
}

// Identity and limiter are what the machine allows; whichever it is, the sandbox is complete.
TEST_F(LauncherProbe, TheFallbacksOfIdentityAndLimitsAreComplete) {
  without_idmap_ = true;
  without_cgroup_ = true;
  launch();
  const auto reports = probe(kProbePythonProfile);
  ASSERT_TRUE(reports.ok()) << reports.error().message();
  EXPECT_EQ(level_of(*reports), Level::kL3) << text_of(*reports);
  for (const auto& report : *reports) {
    if (report.layer != Layer::kMemoryLimit) continue;
    EXPECT_THAT(report.detail, testing::HasSubstr("RLIMIT_DATA"));
  }
}

class LauncherLeftOut : public RealSandbox, public testing::WithParamInterface<Layer> {};

TEST_P(LauncherLeftOut, IsNamedByTheProbe) {
  const Layer layer = GetParam();
  launch(1U << static_cast<unsigned>(layer));
  if (!client_) return;
  const auto reports = probe(kProbePythonProfile);
  ASSERT_TRUE(reports.ok()) << reports.error().message();
  const auto found = std::find_if(reports->begin(), reports->end(),
                                  [&](const auto& r) { return r.layer == layer; });
  ASSERT_NE(found, reports->end());
  EXPECT_FALSE(found->active) << text_of(*reports);
  EXPECT_NE(level_of(*reports), Level::kL3);
  const Status status = require_level(Level::kL3, *reports, std::nullopt, read_host_facts());
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message(), testing::HasSubstr(name_of(layer)));
}

INSTANTIATE_TEST_SUITE_P(Layers, LauncherLeftOut, testing::ValuesIn(kLayers),
                         [](const auto& row) { return std::string(name_of(row.param)); });

}  // namespace
}  // namespace cmcp::sandbox
