// Real sandboxes on the real kernel. Started as root the tests run with idmapped and with shared
// identity; started as an ordinary user (a second ctest entry) in the unprivileged mode.
#include "sandbox/launcher_client.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <optional>

#include "os/file.h"
#include "os/process.h"
#include "sandbox/helper/identity.h"
#include "sandbox/seccomp_policy.h"

namespace cmcp::sandbox {
namespace {

using End = RunOutcome::End;
using testing::HasSubstr;
using testing::Not;

constexpr std::uint32_t kServerUid = 34568;

struct Mode {
  const char* name;
  IdentityMode identity;
  bool without_cgroup;
};

void PrintTo(const Mode& mode, std::ostream* out) {
  *out << mode.name;
}

std::vector<Mode> modes_here() {
  if (::geteuid() != 0) return {{"Unprivileged", IdentityMode::kUnprivileged, true}};
  return {{"Idmapped", IdentityMode::kRootIdmapped, false},
          {"IdmappedWithoutCgroup", IdentityMode::kRootIdmapped, true},
          {"Shared", IdentityMode::kRootShared, false}};
}

Profile shell_profile() {
  Profile profile;
  profile.name = "shell";
  for (const char* path : {"/usr", "/bin", "/lib", "/lib64"})
    profile.root.binds.push_back({{path}, {path}, true, true});
  profile.root.files.push_back({{"/etc/passwd"}, "u:x:1000:1000::/workspace:/bin/sh\n", 0444});
  profile.root.tmpfs.push_back({{"/tmp"}, Bytes::mebi(16), 1000, 01777, false});
  profile.root.tmpfs.push_back({{"/dev/shm"}, Bytes::mebi(16), 1000, 01777, false});
  for (const char* path : {"/usr", "/bin", "/lib", "/lib64"})
    profile.landlock.push_back({{path}, Access::kReadExecute});
  for (const char* path : {"/etc", "/proc"}) profile.landlock.push_back({{path}, Access::kRead});
  for (const char* path : {"/tmp", "/dev"})
    profile.landlock.push_back({{path}, Access::kReadWrite});
  // Everything is allowed but io_uring_setup: enough to see that a filter is loaded.
  profile.seccomp = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 425, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, 0x00050000U | 38U), BPF_STMT(BPF_RET | BPF_K, 0x7fff0000U)};
  profile.limits.memory = Bytes::mebi(96);
  profile.limits.processes = 24;
  profile.limits.cpu_seconds = 2;
  profile.limits.file_size = Bytes::mebi(4);
  profile.environment = {"PATH=/usr/bin:/bin", "HOME=/workspace", "LC_ALL=C.UTF-8"};
  return profile;
}

class LauncherTest : public testing::TestWithParam<Mode> {
 protected:
  void SetUp() override {
    // Not below /tmp, which is what sandboxes of the tests replace by their own.
    std::string pattern = "/var/tmp/cmcp-launcher-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    workspace_ = directory_ + "/workspace";
    ASSERT_EQ(::mkdir(workspace_.c_str(), 0700), 0);
    ASSERT_EQ(::chmod(directory_.c_str(), 0755), 0);
    if (::geteuid() == 0) {
      ASSERT_EQ(::chown(workspace_.c_str(), kServerUid, kServerUid), 0);
    }
    options_.helper_directory = {CMCP_HELPER_DIRECTORY};
    options_.setup.max_runs = 4;
    options_.setup.server_uid = kServerUid;
    options_.setup.server_gid = kServerUid;
    options_.setup.without_cgroup = GetParam().without_cgroup;
    options_.setup.without_idmap = GetParam().identity == IdentityMode::kRootShared;
    options_.setup.roots = {{{workspace_}, "", false}};
    options_.setup.profiles = {shell_profile()};
  }
  void TearDown() override {
    client_.reset();
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::execl("/bin/rm", "rm", "-rf", directory_.c_str(), nullptr);
      ::_exit(127);
    }
    ::waitpid(pid, nullptr, 0);
  }

  void launch() {
    auto spawned = LauncherClient::spawn(options_);
    ASSERT_TRUE(spawned.ok()) << spawned.error().message();
    launcher_pid_ = spawned->pid;
    ASSERT_EQ(spawned->roots.size(), options_.setup.roots.size());
    root_ = std::move(spawned->roots.front());
    client_ = std::make_unique<LauncherClient>(reactor_, std::move(*spawned), options_, nullptr);
  }

  static RunRequest shell(const std::string& script) {
    RunRequest request;
    request.profile = "shell";
    request.argv = {"/bin/bash", "-c", script};
    request.timeout = std::chrono::seconds(60);
    return request;
  }

  RunOutcome run(RunRequest request) {
    if (!client_) launch();
    if (!client_) return {};
    std::optional<RunOutcome> outcome;
    RunEvents events;
    events.done = [&](RunOutcome result) {
      outcome = std::move(result);
      reactor_.stop();
    };
    auto handle = client_->start(std::move(request), std::move(events));
    if (!handle.ok()) {
      ADD_FAILURE() << handle.error().message();
      return {};
    }
    reactor_.run();
    return std::move(*outcome);
  }
  RunOutcome run(const std::string& script) { return run(shell(script)); }
  std::string text_of(const std::string& script) {
    const auto outcome = run(script);
    EXPECT_EQ(outcome.failure, "");
    return outcome.out.text + outcome.err.text;
  }

  net::Reactor reactor_;
  std::string directory_;
  std::string workspace_;
  LauncherClient::SpawnOptions options_;
  std::unique_ptr<LauncherClient> client_;
  pid_t launcher_pid_ = -1;
  Fd root_;
};

INSTANTIATE_TEST_SUITE_P(Modes, LauncherTest, testing::ValuesIn(modes_here()),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST_P(LauncherTest, RunsAProgramAndReportsItsEnd) {
  const auto outcome = run("echo out; echo err >&2; exit 7");
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.end, End::kExited);
  EXPECT_EQ(outcome.exit_code, 7);
  EXPECT_EQ(outcome.out.text, "out\n");
  EXPECT_EQ(outcome.err.text, "err\n");
  ASSERT_NE(client_, nullptr);
  EXPECT_EQ(client_->facts().identity, GetParam().identity) << client_->facts().identity_reason;
}

}  // namespace
}  // namespace cmcp::sandbox
