#include "obs/json_lines_audit.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include "base/strings.h"
#include "json/json.h"

namespace cmcp::obs {
namespace {

namespace fs = std::filesystem;

class JsonLinesAuditTest : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = "/tmp/cmcp-audit-XXXXXX";
    ASSERT_NE(::mkdtemp(directory_.data()), nullptr);
  }
  void TearDown() override { fs::remove_all(directory_); }

  std::string path() const { return directory_ + "/audit.jsonl"; }
  std::string content() const {
    std::ifstream in(path());
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }
  std::unique_ptr<JsonLinesAudit> open_it(
      JsonLinesAudit::Clock clock = std::chrono::system_clock::now) {
    auto audit = JsonLinesAudit::open(HostPath{directory_}, std::move(clock));
    EXPECT_TRUE(audit.ok()) << (audit.ok() ? "" : audit.error().message());
    return audit.ok() ? std::move(audit).value() : nullptr;
  }

  std::string directory_;
};

TEST_F(JsonLinesAuditTest, OneObjectALine) {
  const auto clock = [] {
    return std::chrono::system_clock::time_point(std::chrono::milliseconds(1'000'000'000'007));
  };
  auto audit = open_it(clock);
  ASSERT_NE(audit, nullptr);
  audit->record({"local", "stdio", "file_read", "ok", "", 17, std::chrono::milliseconds(5)});
  audit->record(
      {"ada", "http", "system_run_command", "refused", "busy", 9, std::chrono::milliseconds(0)});
  EXPECT_EQ(
      content(),
      R"({"time":"2001-09-09T01:46:40.007Z","principal":"local","transport":"stdio","tool":"file_read",)"
      R"("outcome":"ok","detail":"","argument_bytes":17,"duration_ms":5})"
      "\n"
      R"({"time":"2001-09-09T01:46:40.007Z","principal":"ada","transport":"http","tool":"system_run_command",)"
      R"("outcome":"refused","detail":"busy","argument_bytes":9,"duration_ms":0})"
      "\n");
}

TEST_F(JsonLinesAuditTest, HostileNamesStayOneShortLine) {
  auto audit = open_it();
  audit->record({"local", "http", "a\nb\xff\"}" + std::string(100000, 'x'), "ok", "", 0, {}});
  const std::vector<std::string> lines = split(content(), '\n');
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_LT(lines[0].size(), 1000U);
  auto value = json::parse(lines[0]);
  ASSERT_TRUE(value.ok()) << value.error().message();
  EXPECT_TRUE(json::find_string(*value, "tool")->starts_with("a\nb\xEF\xBF\xBD\"}xxx"));
}

TEST_F(JsonLinesAuditTest, IsPrivateAndAppends) {
  std::ofstream(path()) << "earlier\n";
  ASSERT_EQ(::chmod(path().c_str(), 0644), 0);
  open_it()->record({"local", "stdio", "file_list", "ok", "", 0, {}});
  struct stat status{};
  ASSERT_EQ(::stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600U);
  EXPECT_TRUE(content().starts_with("earlier\n{"));
}

TEST_F(JsonLinesAuditTest, RefusesLinksAndOtherThings) {
  fs::create_symlink("/dev/null", path());
  EXPECT_EQ(JsonLinesAudit::open(HostPath{directory_}).error().code(),
            ErrorCode::kPermissionDenied);
  fs::remove(path());
  ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
  EXPECT_FALSE(JsonLinesAudit::open(HostPath{directory_}).ok());
  EXPECT_FALSE(JsonLinesAudit::open(HostPath{directory_ + "/absent"}).ok());
}

TEST_F(JsonLinesAuditTest, LinesOfSeveralWritersNeverMix) {
  constexpr int kWriters = 4;
  constexpr int kLines = 200;
  std::vector<std::thread> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([this, writer] {
      auto audit = JsonLinesAudit::open(HostPath{directory_});
      if (!audit.ok()) return;
      for (int i = 0; i < kLines; ++i) {
        (*audit)->record(
            {std::string(150, static_cast<char>('a' + writer)), "http", "t", "ok", "", 0, {}});
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  int good = 0;
  for (const std::string& line : split(content(), '\n')) good += json::parse(line).ok() ? 1 : 0;
  EXPECT_EQ(good, kWriters * kLines);
}

TEST_F(JsonLinesAuditTest, AFullDiskStopsNothing) {
  auto audit = open_it();
  audit->record({"local", "stdio", "file_list", "ok", "", 0, {}});
  const std::string before = content();
  // The limit on file size gives EFBIG as a full disk gives ENOSPC; in a child, so that no other
  // test has it.
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit none{1, 1};
    if (::setrlimit(RLIMIT_FSIZE, &none) != 0) ::_exit(2);
    audit->record({"local", "stdio", "file_list", "ok", "", 0, {}});
    audit->record({"local", "stdio", "file_list", "ok", "", 0, {}});
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(content(), before);
}

}  // namespace
}  // namespace cmcp::obs
