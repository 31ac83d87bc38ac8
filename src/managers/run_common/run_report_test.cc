#include "managers/run_common/run_report.h"

#include <gtest/gtest.h>

#include <csignal>

namespace cmcp::managers {
namespace {

using sandbox::LimitKind;
using sandbox::RunOutcome;

TEST(RunReport, EveryFieldIsThereWhenNothingRan) {
  json::Object object;
  add_fields(report_of_nothing_run(), object);
  EXPECT_EQ(
      json::write(object),
      R"({"exit_code":126,"signal":null,"timed_out":false,"limit":null,"truncated":false,"omitted_bytes":0,)"
      R"("invalid_bytes":0,"kept":null,"killed_processes":0,"duration_ms":0,)"
      R"("usage":{"cpu_ms":0,"peak_memory_bytes":0}})");
  json::Object properties;
  add_schema_properties(properties);
  EXPECT_EQ(properties.size(), object.size());
  for (const auto& field : object) EXPECT_TRUE(properties.contains(field.key())) << field.key();
}

TEST(RunReport, BothStreamsAreSummedUpAndNamed) {
  RunOutcome outcome;
  outcome.end = RunOutcome::End::kSignaled;
  outcome.exit_code = 139;
  outcome.signal = SIGSEGV;
  outcome.out.invalid_bytes = 2;
  outcome.err.truncated = true;
  outcome.err.omitted_bytes = 7;
  outcome.err.invalid_bytes = 1;
  outcome.err.kept_uri = "output:///x/stderr";
  outcome.err.kept_bytes = 9;
  json::Object object;
  add_fields(report_of(outcome), object);
  EXPECT_EQ(object["signal"], "SIGSEGV");
  EXPECT_EQ(object["truncated"], true);
  EXPECT_EQ(object["invalid_bytes"], 3U);
  EXPECT_EQ(json::write(object["kept"]),
            R"([{"stream":"stderr","uri":"output:///x/stderr","bytes":9}])");
}

TEST(RunReport, EndNotesNameTheLimit) {
  RunOutcome outcome;
  outcome.end = RunOutcome::End::kTimedOut;
  outcome.exit_code = 124;
  const RunLimits limits{std::chrono::milliseconds(2000), Bytes::mebi(256)};
  RunReport report = report_of(outcome);
  EXPECT_EQ(report.limit, LimitKind::kTime);
  EXPECT_EQ(end_note(report, limits), "Execution timed out after 2 seconds.");
  report.limit = LimitKind::kMemory;
  report.usage.peak_memory_bytes = Bytes::kibi(255 * 1024 + 512).count;
  EXPECT_EQ(end_note(report, limits), "Memory limit of 256 MB reached (peak 255.5 MB).");
  report.limit = LimitKind::kNone;
  EXPECT_EQ(end_note(report, limits), "");
  std::string text = "a";
  append_line(text, "b");
  append_line(text, "");
  EXPECT_EQ(text, "a\nb");
}

}  // namespace
}  // namespace cmcp::managers
