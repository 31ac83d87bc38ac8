#include "sandbox/limits_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace cmcp::sandbox {
namespace {

using testing::HasSubstr;

LimitSettings settings() {
  LimitSettings settings;
  settings.python.memory = Bytes::mebi(256);
  settings.tmp = Bytes::mebi(64);
  settings.bash_timeout = settings.python_timeout = 120;
  settings.quota = Bytes::mebi(1024).count;
  settings.output_chars = 40000;
  settings.output_keep_mb = 16;
  return settings;
}

std::map<std::string, LimitRow> rows_of(const LauncherFacts& facts,
                                        const LimitSettings& with = settings()) {
  std::map<std::string, LimitRow> rows;
  for (const auto& row : limit_rows(facts, with)) rows[row.limit] = row;
  return rows;
}

TEST(LimitsReport, NamesTheMechanismThatIsThere) {
  LauncherFacts facts;
  facts.limiter = Limiter::kCgroupV2;
  facts.cpu_share = CpuShare::kCgroupV2;
  auto rows = rows_of(facts);
  EXPECT_EQ(rows.size(), 10u);
  EXPECT_EQ(rows["memory"].limiter, "cgroup_v2");
  EXPECT_EQ(rows["memory"].value, "512 MB (Python: 256 MB)");
  EXPECT_EQ(rows["cpu_share"].limiter, "cgroup_v2");
  EXPECT_EQ(rows["disk"].value, "1024 MB, 262144 files");
  facts.limiter = Limiter::kCgroupV1;
  facts.cpu_share = CpuShare::kCgroupV1;
  EXPECT_EQ(rows_of(facts)["processes"].limiter, "cgroup_v1");
}

TEST(LimitsReport, SaysWhatIsMissingWithoutCgroupAndProc) {
  LauncherFacts facts;
  facts.limiter_reason = "read-only";
  auto rows = rows_of(facts);
  EXPECT_EQ(rows["memory"].limiter, "rlimit+watchdog");
  EXPECT_THAT(rows["memory"].note, HasSubstr("read-only"));
  EXPECT_THAT(rows["processes"].note, HasSubstr("does not name it"));
  EXPECT_EQ(rows["cpu_share"].limiter, "nice");
  facts.proc = false;
  rows = rows_of(facts);
  EXPECT_EQ(rows["cpu"].limiter, "rlimit");
  EXPECT_THAT(rows["cpu"].note, HasSubstr("for each process"));
  LimitSettings none = settings();
  none.quota = 0;
  EXPECT_EQ(rows_of(facts, none)["disk"].limiter, "none");
}

TEST(LimitsReport, JsonAndTextHoldEveryRow) {
  const auto rows = limit_rows({}, settings());
  EXPECT_EQ(limits_json(rows).size(), rows.size());
  const std::string text = limits_text(rows);
  for (const auto& row : rows) EXPECT_THAT(text, HasSubstr("  " + row.limit));
}

}  // namespace
}  // namespace cmcp::sandbox
