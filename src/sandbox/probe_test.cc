#include "sandbox/probe.h"

#include <errno.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <string>

#include "sandbox/profiles.h"

namespace cmcp::sandbox {
namespace {

using testing::HasSubstr;

const std::vector<Layer> kTwo = {Layer::kSeccomp, Layer::kLandlock};

bool none_active(const LayerReports& reports) {
  return std::none_of(reports.begin(), reports.end(), [](const auto& r) { return r.active; });
}

TEST(ParseProbeOutput, TakesWhatIsExact) {
  const auto reports =
      parse_probe_output("cmcp-probe 1\nlandlock no nobody refused\nseccomp ok mode 2\n", kTwo);
  ASSERT_EQ(reports.size(), 2U);
  EXPECT_EQ(reports[0].layer, Layer::kSeccomp);
  EXPECT_TRUE(reports[0].active);
  EXPECT_EQ(reports[0].detail, "mode 2");
  EXPECT_FALSE(reports[1].active);
  EXPECT_EQ(reports[1].detail, "nobody refused");
}

TEST(ParseProbeOutput, AnythingUnexpectedCountsAgainstTheLayers) {
  const std::string good = "cmcp-probe 1\nseccomp ok x\nlandlock ok x\n";
  EXPECT_FALSE(none_active(parse_probe_output(good, kTwo)));
  for (const std::string bad :
       {"", "\n", "seccomp ok x\nlandlock ok x\n", "cmcp-probe 2\nseccomp ok x\nlandlock ok x\n",
        "cmcp-probe 1\nseccomp ok x\nseccomp ok x\nlandlock ok x\n",
        "cmcp-probe 1\nseccomp ok x\nlandlock ok x\nhello\n",
        "cmcp-probe 1\nseccomp ok x\nlandlock ok x\nproc ok not asked for\n",
        "cmcp-probe 1\nseccomp yes x\nlandlock ok x\n",
        "cmcp-probe 1\nseccomp ok \x1b[31m\nlandlock ok x\n",
        "cmcp-probe 1\nseccomp ok\nlandlock ok x\n",
        "cmcp-probe 1\n\nseccomp ok x\nlandlock ok x\n",
        "cmcp-probe 1\nSECCOMP ok x\nlandlock ok x\n"}) {
    const auto reports = parse_probe_output(bad, kTwo);
    EXPECT_EQ(reports.size(), 2U);
    EXPECT_TRUE(none_active(reports)) << bad;
  }
  EXPECT_TRUE(none_active(parse_probe_output(
      "cmcp-probe 1\nseccomp ok " + std::string(300, 'x') + "\nlandlock ok x\n", kTwo)));
  EXPECT_TRUE(none_active(parse_probe_output(good + std::string(20000, 'x'), kTwo)));
}

TEST(ParseProbeOutput, AMissingLineMakesItsLayerInactive) {
  const auto reports = parse_probe_output("cmcp-probe 1\nseccomp ok x\n", kTwo);
  EXPECT_TRUE(reports[0].active);
  EXPECT_FALSE(reports[1].active);
  EXPECT_THAT(reports[1].detail, HasSubstr("missing"));
}

TEST(MergeReports, ALayerMustHoldInBoth) {
  const LayerReports a = {{Layer::kSeccomp, true, "a"}, {Layer::kLandlock, true, "a"}};
  const LayerReports b = {{Layer::kLandlock, false, "b"}, {Layer::kSeccomp, true, "b"}};
  const auto merged = merge_reports(a, b);
  ASSERT_EQ(merged.size(), std::size(kLayers));
  for (const auto& report : merged) {
    EXPECT_EQ(report.active, report.layer == Layer::kSeccomp) << name_of(report.layer);
    if (report.layer == Layer::kLandlock) {
      EXPECT_EQ(report.detail, "b");
    }
  }
}

// Answers each start with the next outcome, at once.
class ScriptedRunner : public Runner {
 public:
  Result<std::shared_ptr<RunHandle>> start(RunRequest request, RunEvents events) override {
    requests.push_back(request);
    if (outcomes.empty())
      return Error(ErrorCode::kUnavailable, "writing the id maps: uid_map: Permission denied",
                   EACCES);
    RunOutcome outcome = outcomes.front();
    outcomes.pop_front();
    events.done(std::move(outcome));
    return std::shared_ptr<RunHandle>();
  }
  std::deque<RunOutcome> outcomes;
  std::vector<RunRequest> requests;
};

RunOutcome exited(std::string out) {
  RunOutcome outcome;
  outcome.end = RunOutcome::End::kExited;
  outcome.exit_code = 0;
  outcome.out.text = std::move(out);
  return outcome;
}

std::string all_layers_ok() {
  std::string text = "cmcp-probe 1\n";
  for (const Layer layer : kLayers) {
    if (layer != Layer::kMemoryLimit && layer != Layer::kProcessLimit)
      text += std::string(name_of(layer)) + " ok x\n";
  }
  return text;
}

Result<LayerReports> probe(ScriptedRunner& runner) {
  Profile profile;
  profile.name = kProbeBashProfile;
  std::optional<Result<LayerReports>> result;
  probe_profile(runner, profile, {}, [&](Result<LayerReports> got) {
    EXPECT_FALSE(result.has_value()) << "called twice";
    result.emplace(std::move(got));
  });
  EXPECT_TRUE(result.has_value());
  return std::move(*result);
}

bool active(const LayerReports& reports, Layer layer) {
  return std::any_of(reports.begin(), reports.end(),
                     [&](const auto& r) { return r.layer == layer && r.active; });
}

TEST(ProbeProfile, TwoRunsGiveAllLayers) {
  ScriptedRunner runner;
  runner.outcomes = {exited(all_layers_ok()),
                     exited("cmcp-probe 1\nprocess_limit ok x\nmemory_limit ok x\n")};
  const auto reports = probe(runner);
  ASSERT_TRUE(reports.ok());
  EXPECT_TRUE(
      std::all_of(reports->begin(), reports->end(), [](const auto& r) { return r.active; }));
  ASSERT_EQ(runner.requests.size(), 2U);
  EXPECT_EQ(runner.requests[0].argv[1], "layers");
  EXPECT_EQ(runner.requests[0].argv.size(), 11U);
  EXPECT_EQ(runner.requests[1].argv[1], "limits");
  EXPECT_EQ(runner.requests[1].argv[2], "64");
  EXPECT_LT(runner.requests[1].memory->count, Bytes::mebi(64).count);
}

TEST(ProbeProfile, ARunEndedByItsMemoryLimitProvesTheLimit) {
  ScriptedRunner runner;
  RunOutcome killed = exited("cmcp-probe 1\nprocess_limit ok x\n");
  killed.end = RunOutcome::End::kSignaled;
  killed.signal = 9;
  killed.limit = LimitKind::kMemory;
  runner.outcomes = {exited(all_layers_ok()), killed};
  auto reports = probe(runner);
  ASSERT_TRUE(reports.ok());
  EXPECT_TRUE(active(*reports, Layer::kMemoryLimit));
  killed.limit = LimitKind::kNone;  // killed by something else
  runner.outcomes = {exited(all_layers_ok()), killed};
  reports = probe(runner);
  EXPECT_FALSE(active(*reports, Layer::kMemoryLimit));
  killed.limit = LimitKind::kMemory;  // before anything was tried
  killed.out.text = "";
  runner.outcomes = {exited(all_layers_ok()), killed};
  reports = probe(runner);
  EXPECT_FALSE(active(*reports, Layer::kMemoryLimit));
}

TEST(ProbeProfile, FailuresAreErrorsAndForeignRootsAreNamed) {
  ScriptedRunner runner;
  auto refused = probe(runner);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message(), HasSubstr("uid_map"));
  RunOutcome failed;
  failed.failure = "mounting /proc: Operation not permitted";
  runner.outcomes = {failed};
  auto error = probe(runner);
  ASSERT_FALSE(error.ok());
  EXPECT_EQ(error.error().message(), failed.failure);
  RunOutcome foreign;
  foreign.end = RunOutcome::End::kNotStarted;
  foreign.exit_code = 127;
  runner.outcomes = {foreign};
  auto reports = probe(runner);
  ASSERT_TRUE(reports.ok());
  EXPECT_TRUE(none_active(*reports));
  for (const auto& report : *reports) {
    if (report.layer == Layer::kMountNamespace) {
      EXPECT_THAT(report.detail, HasSubstr("root"));
    }
  }
}

TEST(ProbeProfile, ACrashedOrTruncatedProbeProvesNothing) {
  ScriptedRunner runner;
  RunOutcome crashed = exited(all_layers_ok());
  crashed.end = RunOutcome::End::kSignaled;
  crashed.signal = 11;
  RunOutcome cut = exited("cmcp-probe 1\nprocess_limit ok x\nmemory_limit ok x\n");
  cut.out.truncated = true;
  runner.outcomes = {crashed, cut};
  auto reports = probe(runner);
  ASSERT_TRUE(reports.ok());
  EXPECT_TRUE(none_active(*reports));
}

}  // namespace
}  // namespace cmcp::sandbox
