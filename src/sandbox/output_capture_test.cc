#include "sandbox/output_capture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/omission_line.h"
#include "base/utf8.h"

namespace cmcp::sandbox {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

OutputBudget budget(std::size_t chars, std::uint64_t keep = 1U << 20U) {
  return {chars, Bytes{keep}};
}

std::string file_content(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class KeptOutputsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "kept_outputs_XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  KeptOutputs open(std::uint64_t keep) {
    return KeptOutputs::open({directory_.string()}, Bytes{keep}, [this] { return now_; }).value();
  }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(directory_), {}));
  }

  std::filesystem::path directory_;
  KeptOutputs::Clock::time_point now_ = KeptOutputs::Clock::now();
};

TEST(OutputCapture, ShortOutputIsUnchanged) {
  OutputCapture capture(budget(100), nullptr, "", "stdout");
  EXPECT_EQ(capture.append("one\n"), "one\n");
  EXPECT_EQ(capture.append(std::string("t\0wo", 4)), std::string("t\0wo", 4));
  const CapturedStream out = capture.finish();
  EXPECT_EQ(out.text, std::string("one\nt\0wo", 8));
  EXPECT_FALSE(out.truncated);
  EXPECT_EQ(out.omitted_bytes, 0U);
  EXPECT_EQ(out.total_bytes, 8U);
}

TEST(OutputCapture, ExactlyTheBudgetIsNotTruncated) {
  OutputCapture capture(budget(10), nullptr, "", "stdout");
  capture.append("0123456789");
  EXPECT_EQ(capture.finish().text, "0123456789");
}

TEST(OutputCapture, HeadAndTailStandAroundTheOmissionLine) {
  OutputCapture capture(budget(10), nullptr, "", "stdout");
  for (const char c : std::string("abcdefghijklmnopqrstuvwxyz")) capture.append({&c, 1});
  const CapturedStream out = capture.finish();
  EXPECT_EQ(out.text, "abcde\n" + omission_line(16) + "\nvwxyz");
  EXPECT_TRUE(out.truncated);
  EXPECT_EQ(out.omitted_bytes, 16U);
  EXPECT_TRUE(contains_omission_line(out.text));
}

TEST(OutputCapture, CountsCharactersNotBytes) {
  OutputCapture capture(budget(6), nullptr, "", "stdout");
  const std::string smiles = "\xF0\x9F\x98\x80\xF0\x9F\x98\x81\xF0\x9F\x98\x82\xF0\x9F\x98\x83";
  for (const char c : smiles + smiles) capture.append({&c, 1});
  const CapturedStream out = capture.finish();
  EXPECT_EQ(out.omitted_bytes, 8U);
  EXPECT_EQ(out.text, smiles.substr(0, 12) + "\n" + omission_line(8) + "\n" + smiles.substr(4));
}

TEST(OutputCapture, CharactersSplitOverReadsStayWhole) {
  OutputCapture capture(budget(100), nullptr, "", "stdout");
  EXPECT_EQ(capture.append("a\xE2\x82"), "a");
  EXPECT_EQ(capture.append("\xAC!"), "\xE2\x82\xAC!");
  const CapturedStream out = capture.finish();
  EXPECT_EQ(out.text, "a\xE2\x82\xAC!");
  EXPECT_EQ(out.invalid_bytes, 0U);
}

TEST(OutputCapture, InvalidBytesAreCountedAndReplaced) {
  OutputCapture capture(budget(100), nullptr, "", "stdout");
  capture.append("a\xFF\xC3");
  capture.append("(\xE2\x82");
  const CapturedStream out = capture.finish();
  EXPECT_EQ(out.text, "a\xEF\xBF\xBD\xEF\xBF\xBD(\xEF\xBF\xBD");
  EXPECT_EQ(out.invalid_bytes, 4U);
}

TEST(OutputCapture, AnsiSequencesGoAlsoWhenSplit) {
  const std::string coloured =
      "\x1B[1;31mred\x1B[0m \x1B]0;title\x07plain\x1B]8;;http://x\x1B\\link\x1B]8;;\x1B\\\x1B(B\x1B"
      "7\x1B[?25l.";
  for (std::size_t piece = 1; piece <= coloured.size(); ++piece) {
    OutputCapture capture(budget(100), nullptr, "", "stdout");
    std::string progress;
    for (std::size_t at = 0; at < coloured.size(); at += piece)
      progress += capture.append(coloured.substr(at, piece));
    EXPECT_EQ(progress, "red plainlink.");
    EXPECT_EQ(capture.finish().text, "red plainlink.");
  }
}

TEST(OutputCapture, AStrayEscapeHidesNothing) {
  OutputCapture capture(budget(20000), nullptr, "", "stdout");
  capture.append("\x1B]not a title\nnext line \x1B\n\x1B_" + std::string(5000, 'x') + "\x1B[");
  const std::string text = capture.finish().text;
  EXPECT_EQ(text, "]not a title\nnext line \n_" + std::string(5000, 'x'));
}

TEST(OutputCapture, MemoryStaysBoundedForAHundredMegabytes) {
  OutputCapture capture(budget(40000), nullptr, "", "stdout");
  const std::string block(1U << 16U, 'x');
  for (int i = 0; i < 1600; ++i) capture.append(block);
  capture.append("LAST");
  const CapturedStream out = capture.finish();
  EXPECT_EQ(out.total_bytes, 1600U * 65536U + 4U);
  EXPECT_EQ(out.omitted_bytes, out.total_bytes - 40000U);
  EXPECT_TRUE(out.text.ends_with("LAST"));
  EXPECT_LT(out.text.size(), 40200U);
}

TEST(OutputCapture, WithoutAnOutputBudgetTheKeepBudgetBounds) {
  OutputCapture capture(budget(0, 1000), nullptr, "", "stdout");
  capture.append(std::string(600, 'a') + std::string(600, 'b'));
  const CapturedStream out = capture.finish();
  EXPECT_EQ(out.omitted_bytes, 200U);
  EXPECT_EQ(out.text,
            std::string(500, 'a') + "\n" + omission_line(200) + "\n" + std::string(500, 'b'));
}

TEST_F(KeptOutputsTest, TruncatedOutputIsKeptExactlyForItsPrincipalOnly) {
  KeptOutputs kept = open(1U << 20U);
  const std::string id = kept.begin_call("ada").value();
  EXPECT_EQ(id.size(), 22U);
  OutputCapture out(budget(10), &kept, id, "stdout");
  OutputCapture err(budget(10), &kept, id, "stderr");
  const std::string bytes = "\x1B[1mhead\x1B[0m\xFF middle and the tail";
  for (const char c : bytes) out.append({&c, 1});
  err.append("short");
  const CapturedStream stream = out.finish();
  EXPECT_EQ(err.finish().kept_uri, "");
  kept.end_call(id);

  EXPECT_EQ(stream.kept_uri, "output:///" + id + "/stdout");
  EXPECT_EQ(stream.kept_bytes, bytes.size());
  EXPECT_THAT(stream.text, HasSubstr("the whole is readable as " + stream.kept_uri));
  EXPECT_EQ(kept.read("ada", id, "stdout").value(), bytes);
  EXPECT_EQ(kept.read("eve", id, "stdout").error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(kept.read("ada", id, "stderr").error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(kept.read("ada", "../" + id, "stdout").error().code(), ErrorCode::kNotFound);
  struct stat info{};
  ASSERT_EQ(::stat((directory_ / (id + ".stdout")).c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
}

TEST_F(KeptOutputsTest, OnlyTheFirstPartUpToTheLimitOfTheCall) {
  KeptOutputs kept = open(1000);
  const std::string id = kept.begin_call("ada").value();
  OutputCapture out(budget(10, 1000), &kept, id, "stdout");
  OutputCapture err(budget(10, 1000), &kept, id, "stderr");
  out.append(std::string(700, 'o'));
  const CapturedStream first = out.finish();
  err.append(std::string(700, 'e'));
  const CapturedStream second = err.finish();
  EXPECT_EQ(first.kept_bytes, 700U);
  EXPECT_EQ(second.kept_bytes, 300U);
  EXPECT_THAT(second.text, HasSubstr("the first 300 bytes are readable as output:///"));
  EXPECT_EQ(kept.read("ada", id, "stderr").value(), std::string(300, 'e'));
}

TEST_F(KeptOutputsTest, ALongOutputThatIsShownWholeIsNotKept) {
  KeptOutputs kept = open(1U << 22U);
  const std::string id = kept.begin_call("ada").value();
  OutputCapture out(budget(100, 1U << 22U), &kept, id, "stdout");
  for (int i = 0; i < 300; ++i) {
    std::string colours;
    for (int j = 0; j < 500; ++j) colours += "\x1B[0m";
    out.append(colours);
  }
  EXPECT_FALSE(out.finish().truncated);
  kept.end_call(id);
  EXPECT_EQ(files(), 0U);
}

TEST_F(KeptOutputsTest, OldestGoFirstAndNothingOlderThanAnHour) {
  KeptOutputs kept = open(100);
  std::vector<std::string> ids;
  for (int i = 0; i < 20; ++i) {
    ids.push_back(kept.begin_call("ada").value());
    EXPECT_EQ(kept.append(ids.back(), "stdout", std::string(150, 'x')).value(), 100U);
    kept.end_call(ids.back());
    now_ += std::chrono::seconds(1);
  }
  const std::string other = kept.begin_call("bob").value();
  ASSERT_TRUE(kept.append(other, "stdout", "bob").ok());
  kept.end_call(other);
  EXPECT_EQ(files(), 17U);
  EXPECT_FALSE(kept.read("ada", ids[3], "stdout").ok());
  EXPECT_TRUE(kept.read("ada", ids[4], "stdout").ok());
  now_ += std::chrono::minutes(61);
  EXPECT_FALSE(kept.read("bob", other, "stdout").ok());
  EXPECT_EQ(files(), 0U);
}

TEST_F(KeptOutputsTest, AtStartOnlyOldFilesOfOursAreRemoved) {
  std::string old_id;
  std::string young_id;
  {
    KeptOutputs earlier = open(100);
    old_id = earlier.begin_call("ada").value();
    young_id = earlier.begin_call("ada").value();
    ASSERT_TRUE(earlier.append(old_id, "stdout", "x").ok());
    ASSERT_TRUE(earlier.append(young_id, "stdout", "x").ok());
  }
  std::ofstream(directory_ / "notes.txt") << "not ours";
  const auto two_hours_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(2);
  std::filesystem::last_write_time(directory_ / (old_id + ".stdout"), two_hours_ago);
  std::filesystem::last_write_time(directory_ / "notes.txt", two_hours_ago);
  const KeptOutputs kept = open(100);
  EXPECT_FALSE(std::filesystem::exists(directory_ / (old_id + ".stdout")));
  EXPECT_EQ(file_content(directory_ / (young_id + ".stdout")), "x");
  EXPECT_EQ(file_content(directory_ / "notes.txt"), "not ours");
}

TEST(OmissionLine, IsFoundWhereverItStands) {
  EXPECT_TRUE(contains_omission_line("a\n  > " + omission_line(5) + " b\nc"));
  EXPECT_TRUE(contains_omission_line(omission_line(123456, "output:///x/stdout")));
  EXPECT_TRUE(contains_omission_line(omission_line(1, "output:///x/stdout", 7)));
  EXPECT_FALSE(contains_omission_line("[\xE2\x80\xA6 some bytes left out \xE2\x80\xA6]"));
  EXPECT_FALSE(contains_omission_line("[\xE2\x80\xA6 5 bytes left out\n \xE2\x80\xA6]"));
  EXPECT_FALSE(contains_omission_line("[... 5 bytes left out ...]"));
}

}  // namespace
}  // namespace cmcp::sandbox
