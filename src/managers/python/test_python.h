// For tests of this room: a manager over the TestRunner in a workspace of its own.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>

#include "managers/python/interpreter.h"
#include "managers/python/python_manager.h"
#include "managers/python/test_runner.h"

namespace cmcp::managers {

class PythonTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "python_XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    workspace_ = pattern;
    runner_.emplace(pattern);
    options_.python_path = find_python().value();
  }
  void TearDown() override { std::filesystem::remove_all(workspace_); }

  Result<PythonResult> try_run(PythonRequest request) {
    std::optional<Result<PythonResult>> result;
    int answers = 0;
    PythonManager manager(options_, *runner_);
    manager.run("local", std::move(request),
                {.done =
                     [&](Result<PythonResult> done) {
                       ++answers;
                       result.emplace(std::move(done));
                     },
                 .output = [&](std::string_view text) { progress_ += text; }});
    EXPECT_EQ(answers, 1);
    return std::move(*result);
  }
  PythonResult run_with(PythonRequest request) { return try_run(std::move(request)).value(); }
  PythonResult run(std::string code) { return run_with(PythonRequest{.code = std::move(code)}); }
  // The result as JSON text.
  std::string result_of(std::string code) {
    const PythonResult done = run(std::move(code));
    EXPECT_EQ(done.error, "");
    return json::write(done.result);
  }

  std::filesystem::path workspace_;
  std::optional<TestRunner> runner_;
  PythonManager::Options options_;
  std::string progress_;
};

}  // namespace cmcp::managers
