// Python through the real launcher, in the real profile: what only the sandbox can show.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "managers/python/interpreter.h"
#include "managers/python/python_manager.h"
#include "net/reactor.h"
#include "sandbox/kept_outputs.h"
#include "sandbox/launcher_client.h"
#include "sandbox/profiles.h"

namespace cmcp::managers {
namespace {

using sandbox::LimitKind;
using ::testing::HasSubstr;

constexpr std::uint32_t kServerUid = 34568;
constexpr Bytes kMemory = Bytes::mebi(256);

class PythonSandbox : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = "/var/tmp/cmcp-python-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    ASSERT_EQ(::chmod(pattern.c_str(), 0755), 0);
    ASSERT_EQ(::mkdir((pattern + "/workspace").c_str(), 0700), 0);
    if (::geteuid() == 0) {
      ASSERT_EQ(::chown((pattern + "/workspace").c_str(), kServerUid, kServerUid), 0);
    }
    const std::string python = find_python().value();
    sandbox::ProfileOptions profile;
    profile.allowed_commands = {"ls"};
    profile.python = {python};
    profile.python_limits.memory = kMemory;
    profile.writable_roots = {{pattern}};
    auto profiles = sandbox::build_profiles(profile);
    ASSERT_TRUE(profiles.ok()) << profiles.error().message();
    options_.helper_directory = {CMCP_HELPER_DIRECTORY};
    options_.setup.max_runs = 4;
    options_.setup.server_uid = kServerUid;
    options_.setup.server_gid = kServerUid;
    options_.setup.roots = {{{pattern + "/workspace"}, "", false}};
    options_.setup.profiles = profiles->all;
    auto spawned = sandbox::LauncherClient::spawn(options_);
    ASSERT_TRUE(spawned.ok()) << spawned.error().message();
    kept_.emplace(sandbox::KeptOutputs::open({pattern + "/outputs"}, Bytes::mebi(1)).value());
    client_ =
        std::make_unique<sandbox::LauncherClient>(reactor_, std::move(*spawned), options_, &*kept_);
    python_.emplace(PythonManager::Options{.python_path = python,
                                           .timeout = {},
                                           .memory = kMemory,
                                           .budget = {1000, Bytes::mebi(1)},
                                           .check_working_dir = {}},
                    *client_);
  }
  void TearDown() override {
    client_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }

  PythonResult run(PythonRequest request) {
    std::optional<Result<PythonResult>> result;
    python_->run("ada", std::move(request), {.done = [&](Result<PythonResult> done) {
                   result.emplace(std::move(done));
                   reactor_.stop();
                 }});
    if (!result) reactor_.run();
    if (result->ok()) return std::move(**result);
    ADD_FAILURE() << result->error().message();
    return {};
  }

  net::Reactor reactor_;
  std::filesystem::path directory_;
  sandbox::LauncherClient::SpawnOptions options_;
  std::optional<sandbox::KeptOutputs> kept_;
  std::unique_ptr<sandbox::LauncherClient> client_;
  std::optional<PythonManager> python_;
};

TEST_F(PythonSandbox, RunsInTheWorkspaceWithAResult) {
  const PythonResult done =
      run({.code = "import os\nprint(os.getcwd())\nopen('a.txt', 'w').write('x')\n_ = 6 * 7"});
  EXPECT_EQ(done.output, "/workspace\n");
  EXPECT_EQ(done.error, "");
  EXPECT_EQ(done.result, 42);
  EXPECT_TRUE(done.success);
  EXPECT_TRUE(std::filesystem::exists(directory_ / "workspace/a.txt"));
}

TEST_F(PythonSandbox, MultiprocessingAndTheStandardLibrary) {
  const PythonResult done =
      run({.code = "import multiprocessing as m, ssl, sqlite3, ctypes, lzma, zoneinfo\n"
                   "def square(x): return x * x\n"
                   "with m.get_context('fork').Pool(2) as p: _ = p.map(square, range(4))"});
  EXPECT_EQ(done.error, "");
  EXPECT_EQ(json::write(done.result), "[0,1,4,9]");
  EXPECT_THAT(run({.code = "import numpy"}).error, HasSubstr("ModuleNotFoundError"));
}

TEST_F(PythonSandbox, EndsAreReported) {
  const PythonResult aborted = run({.code = "print('x', end='')\nimport os\nos.abort()"});
  EXPECT_EQ(aborted.output, "x");
  EXPECT_EQ(aborted.report.signal, SIGABRT);
  const PythonResult late = run({.code = "print('kept')\nx = 9**(9**9)", .timeout_seconds = 0.5});
  EXPECT_TRUE(late.report.timed_out);
  EXPECT_EQ(late.output, "kept\n");
  EXPECT_THAT(late.error, HasSubstr("timed out after 0.5 seconds"));
  const PythonResult left = run({.code = "import os, time\nif os.fork() == 0:\n  time.sleep(60)"});
  EXPECT_TRUE(left.success);
  EXPECT_EQ(left.report.killed_processes, 1U);
}

TEST_F(PythonSandbox, MemoryIsNamedHoweverItIsUsedUp) {
  for (const char* code : {"x = bytearray(1500*1024*1024)",
                           "a = []\nwhile True:\n  a.append(bytearray(b'x') * 10485760)\n"
                           "  print('kept', end='')"}) {
    const PythonResult done = run({.code = code, .timeout_seconds = 60});
    EXPECT_FALSE(done.success) << code;
    EXPECT_EQ(done.report.limit, LimitKind::kMemory) << code << done.error;
    EXPECT_THAT(done.error, HasSubstr("Memory limit of 256 MB reached (peak ")) << code;
  }
  EXPECT_EQ(run({.code = "_ = 1"}).result, 1);
}

TEST_F(PythonSandbox, LongOutputIsKeptForThePrincipal) {
  const PythonResult done = run({.code = "print('y' * 5000)"});
  EXPECT_TRUE(done.report.truncated);
  ASSERT_EQ(done.report.kept.size(), 1U);
  const std::string id = done.report.kept[0].uri.substr(std::string("output:///").size(), 22);
  EXPECT_EQ(kept_->read("ada", id, "stdout").value(), std::string(5000, 'y') + "\n");
  EXPECT_FALSE(kept_->read("eve", id, "stdout").ok());
}

}  // namespace
}  // namespace cmcp::managers
