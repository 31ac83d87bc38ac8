// Real sandboxes on the real kernel. Started as root the tests run with idmapped and with shared
// identity; started as an ordinary user (a second ctest entry) in the unprivileged mode.
#include "sandbox/launcher_client.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <iostream>
#include <optional>
#include <thread>

#include "os/file.h"
#include "os/process.h"
#include "sandbox/helper/identity.h"

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

// The one child of a process that has one: the supervisor's is the launcher, the launcher's is
// pid 1.
pid_t child_of(pid_t pid) {
  const auto path = "/proc/" + std::to_string(pid) + "/task/" + std::to_string(pid) + "/children";
  const auto text = os::read_file(path, 100);
  return text.ok() && !text->empty() ? static_cast<pid_t>(std::stol(*text)) : -1;
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

TEST_P(LauncherTest, ThePayloadHasNothing) {
  const std::string text = text_of(
      "id -u; id -g; grep -E '^(Cap(Inh|Prm|Eff|Bnd|Amb)|NoNewPrivs|Seccomp):' /proc/self/status; "
      "ls /proc | grep -E '^[0-9]+$' | wc -l; cat /proc/net/route | wc -l; ls /sys/class/net /home "
      "/root /var 2>&1; "
      "cat /proc/1/environ 2>&1; hostname; cat /proc/cmdline | wc -c; touch /x 2>&1; echo 1 > "
      "/proc/sys/kernel/hostname; "
      "kill -9 1; ls /proc/self/fd | tr '\\n' ' '");
  EXPECT_THAT(text, HasSubstr("1000\n1000\n"));
  for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"}) {
    EXPECT_THAT(text, HasSubstr(std::string(set) + ":\t0000000000000000\n"));
  }
  EXPECT_THAT(text, HasSubstr("NoNewPrivs:\t1\nSeccomp:\t2\n"));
  // The shell, ls, grep, wc; the header line alone is no route.
  EXPECT_THAT(text, testing::ContainsRegex("Seccomp:\t2\n[1-5]\n1\n"));
  for (const char* path : {"/sys/class/net", "/home", "/root", "/var"}) {
    EXPECT_THAT(text,
                HasSubstr("cannot access '" + std::string(path) + "': No such file or directory"));
  }
  EXPECT_THAT(text, testing::ContainsRegex("/proc/1/environ: (No such file or directory|Permission "
                                           "denied|Operation not permitted)"));
  EXPECT_THAT(text, HasSubstr("\nsandbox\n0\n"));
  EXPECT_THAT(text,
              testing::ContainsRegex("touch '/x': (Permission denied|Read-only file system)"));
  EXPECT_THAT(text, HasSubstr("0 1 2 3 "));  // 3 is ls's own
  EXPECT_THAT(text, Not(HasSubstr("0 1 2 3 4")));
}

TEST_P(LauncherTest, APrivateFileOfTheRunIsTheServersToo) {
  ASSERT_EQ(
      text_of("umask 077; echo secret > f; mkdir -m 700 d; echo deep > d/g; stat -c '%a %u' f"),
      "600 1000\n");
  const pid_t reader = ::fork();
  if (reader == 0) {
    // What the server is after a root start: an ordinary user.
    if (::geteuid() == 0) {
      const auto& facts = client_->facts();
      if (::setresgid(facts.server_gid, facts.server_gid, facts.server_gid) != 0) ::_exit(10);
      if (::setresuid(facts.server_uid, facts.server_uid, facts.server_uid) != 0) ::_exit(11);
    }
    const auto secret = os::read_file_at(root_.get(), "f", 100);
    if (!secret.ok() || *secret != "secret\n") ::_exit(12);
    const auto deep = os::read_file_at(root_.get(), "d/g", 100);
    if (!deep.ok() || *deep != "deep\n") ::_exit(13);
    auto made = os::open_at(root_.get(), "from_server", O_WRONLY | O_CREAT, 0600);
    if (!made.ok() || !os::write_all(made->get(), "hello").ok()) ::_exit(14);
    if (::renameat(root_.get(), "f", root_.get(), "d/moved") != 0) ::_exit(15);
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(reader, &status, 0), reader);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(text_of("cat from_server d/moved; rm -r d from_server && ls | wc -l"),
            "hellosecret\n0\n");
  struct stat owner{};
  ASSERT_EQ(::stat(workspace_.c_str(), &owner), 0);
  EXPECT_EQ(owner.st_uid, ::geteuid() == 0 ? kServerUid : ::geteuid()) << "nothing is ever chowned";
}

TEST_P(LauncherTest, OutputDevicesInputsAndStandardInputWork) {
  EXPECT_EQ(text_of("echo a > /dev/stderr; echo b > /dev/stdout; echo c | tee /dev/stderr > "
                    "/dev/null; head -c 3 /dev/zero | wc -c"),
            "b\n3\na\nc\n");
  RunRequest request = shell("cat; cat <&3; cat /proc/self/fd/4; echo result >&5");
  request.stdin_data = std::string(300000, 'x');
  request.inputs = {"three", "four"};
  request.result_channel = true;
  request.budget.max_chars = 0;
  const auto outcome = run(std::move(request));
  EXPECT_EQ(outcome.out.total_bytes, 300009u);
  EXPECT_EQ(outcome.err.text, "");
  EXPECT_EQ(outcome.result, "result\n");
  EXPECT_EQ(run("cat; echo end").out.text, "end\n");
  RunRequest unread = shell("exec 0<&-; echo closed");
  unread.stdin_data = std::string(300000, 'x');
  EXPECT_EQ(run(std::move(unread)).out.text, "closed\n");
  RunRequest large = shell("head -c 3000000 /dev/zero >&3; echo $?");
  large.result_channel = true;
  large.result_limit = Bytes::kibi(100);
  const auto overflow = run(std::move(large));
  EXPECT_EQ(overflow.result.size(), 100u * 1024);
  EXPECT_TRUE(overflow.result_overflow);
  EXPECT_EQ(overflow.out.text, "0\n");
}

TEST_P(LauncherTest, TheEnvironmentIsTheProfilesAndTheRuns) {
  RunRequest request = shell("");
  request.argv = {"/usr/bin/env"};
  request.environment = {"HOME=/tmp", "NEW=1"};
  EXPECT_EQ(run(std::move(request)).out.text,
            "PATH=/usr/bin:/bin\nHOME=/tmp\nLC_ALL=C.UTF-8\nNEW=1\n");
  EXPECT_EQ(::setenv("CMCP_SECRET", "never", 1), 0);
  EXPECT_THAT(text_of("env; cat /proc/*/environ | tr '\\0' '\\n'"), Not(HasSubstr("CMCP_SECRET")));
}

TEST_P(LauncherTest, WorkingDirectoriesAndMissingPrograms) {
  ASSERT_EQ(text_of("mkdir -p a/b; pwd"), "/workspace\n");
  RunRequest inside = shell("pwd");
  inside.working_dir = "a/b";
  EXPECT_EQ(run(std::move(inside)).out.text, "/workspace/a/b\n");
  RunRequest missing = shell("pwd");
  missing.working_dir = "nowhere";
  auto outcome = run(std::move(missing));
  EXPECT_EQ(outcome.end, End::kNotStarted);
  EXPECT_EQ(outcome.exit_code, 126);
  EXPECT_THAT(outcome.failure,
              HasSubstr("/workspace/nowhere cannot be entered: No such file or directory"));
  RunRequest program = shell("");
  program.argv = {"/usr/bin/there-is-no-such"};
  outcome = run(std::move(program));
  EXPECT_EQ(outcome.end, End::kNotStarted);
  EXPECT_EQ(outcome.exit_code, 127);
  RunRequest directory = shell("");
  directory.argv = {"/usr/bin"};
  EXPECT_EQ(run(std::move(directory)).exit_code, 126);
}

TEST_P(LauncherTest, SignalsAreReported) {
  const auto outcome = run("kill -SEGV $$");
  EXPECT_EQ(outcome.end, End::kSignaled);
  EXPECT_EQ(outcome.signal, SIGSEGV);
  EXPECT_EQ(outcome.exit_code, 139);
}

TEST_P(LauncherTest, TimeoutKillsATreeThatIgnoresTermination) {
  RunRequest request = shell(
      "trap '' TERM INT HUP; (trap '' TERM; setsid sleep 1000) & (kill -STOP $BASHPID) & echo "
      "begun; while :; do sleep 1000; done");
  request.timeout = std::chrono::milliseconds(400);
  const auto outcome = run(std::move(request));
  EXPECT_EQ(outcome.end, End::kTimedOut);
  EXPECT_EQ(outcome.exit_code, 124);
  EXPECT_EQ(outcome.limit, LimitKind::kTime);
  EXPECT_EQ(outcome.out.text, "begun\n");
}

TEST_P(LauncherTest, BackgroundJobsEndWithTheMainProcess) {
  // sleep holds the output pipe: the run ends nevertheless, long before the deadline.
  const auto outcome = run("sleep 1000 & setsid sleep 1000 & echo done");
  EXPECT_EQ(outcome.end, End::kExited);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out.text, "done\n");
  EXPECT_EQ(outcome.killed_processes, 2u);
}

TEST_P(LauncherTest, CancelEndsARun) {
  launch();
  ASSERT_NE(client_, nullptr);
  std::optional<RunOutcome> outcome;
  std::shared_ptr<RunHandle> handle;
  RunEvents events;
  events.output = [&](std::string_view) { handle->cancel(); };
  events.done = [&](RunOutcome result) {
    outcome = std::move(result);
    reactor_.stop();
  };
  auto started = client_->start(shell("echo ready; sleep 1000"), std::move(events));
  ASSERT_TRUE(started.ok());
  handle = *started;
  reactor_.run();
  EXPECT_EQ(outcome->end, End::kCancelled);
  EXPECT_EQ(outcome->out.text, "ready\n");
  handle->cancel();  // does nothing any more
  EXPECT_EQ(client_->active_runs(), 0u);
}

TEST_P(LauncherTest, NoMoreRunsThanAllowed) {
  launch();
  ASSERT_NE(client_, nullptr);
  std::vector<std::shared_ptr<RunHandle>> handles;
  std::size_t ended = 0;
  for (int i = 0; i < 4; ++i) {
    RunEvents events;
    events.done = [&](RunOutcome outcome) {
      EXPECT_EQ(outcome.end, End::kCancelled) << outcome.failure;
      if (++ended == 4) reactor_.stop();
    };
    auto started = client_->start(shell("sleep 1000"), std::move(events));
    ASSERT_TRUE(started.ok());
    handles.push_back(*started);
  }
  const auto refused = client_->start(shell("true"), {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code(), ErrorCode::kBusy);
  EXPECT_THAT(refused.error().message(), HasSubstr("SANDBOX_MAX_RUNS"));
  for (auto& handle : handles) handle->cancel();
  reactor_.run();
  EXPECT_EQ(run("true").exit_code, 0);
}

TEST_P(LauncherTest, OnlyNarrowingRequestsAreTaken) {
  launch();
  ASSERT_NE(client_, nullptr);
  RunRequest wide = shell("true");
  wide.memory = Bytes::mebi(97);
  EXPECT_EQ(client_->start(std::move(wide), {}).error().code(), ErrorCode::kInvalidArgument);
  RunRequest unknown = shell("true");
  unknown.profile = "other";
  EXPECT_EQ(client_->start(std::move(unknown), {}).error().code(), ErrorCode::kInvalidArgument);
  RunRequest relative = shell("true");
  relative.argv = {"true"};
  EXPECT_THAT(run(std::move(relative)).failure, HasSubstr("absolute path"));
  RunRequest zero = shell(std::string("true\0x", 6));
  EXPECT_THAT(run(std::move(zero)).failure, HasSubstr("NUL"));
}

TEST_P(LauncherTest, AForkBombIsBoundedAndNamed) {
  RunRequest request = shell("");
  // At most 300 processes, so that a broken limit hurts nobody. dash gives up at the first refusal.
  request.argv = {"/bin/dash", "-c",
                  "n=0; while [ $n -lt 300 ]; do sleep 1000 & n=$((n+1)); echo $n; done"};
  const auto outcome = run(std::move(request));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err.text, HasSubstr("fork"));
  EXPECT_LE(outcome.killed_processes, 24u);
  EXPECT_GE(outcome.killed_processes, 20u);
  if (!GetParam().without_cgroup) {
    EXPECT_EQ(outcome.limit, LimitKind::kProcesses);
  }
}

// Python as a program that takes memory and tells nothing: touches every page.
constexpr const char* kTakeMemory =
    "exec /usr/bin/python3 -S -c 'import mmap,time\nm=mmap.mmap(-1,200<<20)\nfor i in "
    "range(0,200<<20,4096): m[i]=1\nprint(\"got it\")\ntime.sleep(1000)'";

TEST_P(LauncherTest, TheMemoryLimitIsNamed) {
  const auto outcome = run(kTakeMemory);
  EXPECT_EQ(outcome.end, End::kSignaled);
  EXPECT_EQ(outcome.signal, SIGKILL);
  EXPECT_EQ(outcome.limit, LimitKind::kMemory);
  EXPECT_GT(outcome.usage.peak_memory_bytes, 60u << 20);
  const auto after = run("echo fine");
  EXPECT_EQ(after.out.text, "fine\n");
  EXPECT_EQ(after.limit, LimitKind::kNone) << "a slot is clean when it is used again";
}

TEST_P(LauncherTest, PrivateMemoryIsRefusedOrKilled) {
  const auto outcome = run("exec /usr/bin/python3 -S -c 'b=bytearray(200<<20); print(len(b))'");
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out.text, Not(HasSubstr("209715200")));
  if (GetParam().without_cgroup) {
    EXPECT_THAT(outcome.err.text, HasSubstr("MemoryError"));
  } else {
    EXPECT_EQ(outcome.limit, LimitKind::kMemory);
  }
}

TEST_P(LauncherTest, TheCpuLimitIsNamed) {
  options_.setup.profiles[0].limits.cpu_seconds = 1;
  const auto one = run("while :; do :; done");
  EXPECT_EQ(one.limit, LimitKind::kCpu);
  // The kernel ends it by timer ticks, which run ahead of the exact account on a busy machine.
  EXPECT_GE(one.usage.cpu_ms, 300u);
  // Each of these stays below the limit of one process; together they are over it.
  const auto many = run("for i in 1 2 3 4; do (while :; do :; done) & done; wait");
  EXPECT_EQ(many.limit, LimitKind::kCpu);
}

TEST_P(LauncherTest, TheFileSizeLimitIsNamed) {
  const auto outcome = run("head -c 8000000 /dev/zero > big; exit $?");
  EXPECT_EQ(outcome.limit, LimitKind::kFileSize);
  EXPECT_EQ(text_of("stat -c %s big"), "4194304\n");
}

TEST_P(LauncherTest, ReadOnlyAndNamedWorkspaces) {
  const std::string second = directory_ + "/second";
  ASSERT_EQ(::mkdir(second.c_str(), 0700), 0);
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(second.c_str(), kServerUid, kServerUid), 0);
  }
  options_.setup.roots = {{{workspace_}, "one", false}, {{second}, "two", true}};
  EXPECT_THAT(text_of("ls /workspace; touch one/x && echo made; touch two/x"),
              testing::MatchesRegex("one\ntwo\nmade\ntouch: cannot touch 'two/x': (Permission "
                                    "denied|Read-only file system)\n"));
}

TEST_P(LauncherTest, ANamedWorkspaceBelowTheUnnamedOne) {
  const std::string second = directory_ + "/second";
  ASSERT_EQ(::mkdir(second.c_str(), 0700), 0);
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(second.c_str(), kServerUid, kServerUid), 0);
  }
  options_.setup.roots = {{{workspace_}, "", false}, {{second}, "two", true}};
  EXPECT_THAT(text_of("ls /workspace; touch x && echo made; touch two/x; rmdir two"),
              testing::MatchesRegex("two\nmade\ntouch: cannot touch 'two/x': (Permission "
                                    "denied|Read-only file system)\nrmdir: .*\n"));
  // A link in the place of the directory never leads the mount elsewhere: nothing is run.
  ASSERT_EQ(::rmdir((workspace_ + "/two").c_str()), 0);
  ASSERT_EQ(::symlink("/etc", (workspace_ + "/two").c_str()), 0);
  const auto refused = run("ls /etc");
  EXPECT_EQ(refused.end, RunOutcome::End::kSandboxFailed);
  EXPECT_THAT(refused.failure, testing::HasSubstr("needs the directory two"));
}

TEST_P(LauncherTest, AWorkspaceWithoutExec) {
  options_.setup.profiles[0].workspace_exec = false;
  EXPECT_THAT(text_of("cp /bin/true t; ./t; cp /bin/true /tmp/t; /tmp/t; echo $?"),
              HasSubstr("Permission denied\n"));
  EXPECT_THAT(text_of("/lib64/ld-linux-x86-64.so.2 ./t; echo $?"), testing::StartsWith("127\n"))
      << "not by the loader either";
}

TEST_P(LauncherTest, SetUidFilesMeanNothing) {
  EXPECT_THAT(text_of("grep ' /workspace ' /proc/self/mountinfo"),
              testing::ContainsRegex("rw,nosuid,nodev"));
}

TEST_P(LauncherTest, ABrokenSetUpRunsNothing) {
  options_.setup.profiles[0].root.binds.push_back({{"/there/is/no/such"}, {"/x"}, true, false});
  const auto spawned = LauncherClient::spawn(options_);
  ASSERT_FALSE(spawned.ok());
  EXPECT_THAT(spawned.error().message(), HasSubstr("root of profile shell"));
  EXPECT_THAT(spawned.error().message(), HasSubstr("/there/is/no/such"));
}

TEST_P(LauncherTest, AFailingStepIsNamedAndNothingRuns) {
  options_.setup.profiles[0].seccomp = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0)};  // no return: the kernel refuses it
  const auto outcome = run("touch ran");
  EXPECT_EQ(outcome.end, End::kSandboxFailed);
  EXPECT_THAT(outcome.failure, HasSubstr("loading the seccomp filter"));
  EXPECT_NE(::access((workspace_ + "/ran").c_str(), F_OK), 0);
}

TEST_P(LauncherTest, NothingLeaksOverManyRuns) {
  // Slots are made when they are first needed, and a few take turns.
  for (int i = 0; i < 20; ++i) ASSERT_EQ(run("true").exit_code, 0);
  const auto mine = os::count_open_descriptors();
  const pid_t pid_1 = child_of(child_of(launcher_pid_));
  const auto count = [&]() -> std::size_t {
    const auto fds =
        os::open_at(AT_FDCWD, "/proc/" + std::to_string(pid_1) + "/fd", O_RDONLY | O_DIRECTORY);
    return fds.ok() ? os::list_directory(fds->get())->size() : 0;
  };
  const std::size_t before = count();
  const auto mounts = [&] {
    const auto text = os::read_file("/proc/" + std::to_string(pid_1) + "/mountinfo", 1 << 20);
    return text.ok() ? std::count(text->begin(), text->end(), '\n') : 0;
  };
  const auto mounts_before = mounts();
  for (int i = 0; i < 200; ++i) ASSERT_EQ(run("exit 3").exit_code, 3);
  EXPECT_EQ(*os::count_open_descriptors(), *mine);
  // The last run's init is told of before the kernel has taken its namespaces apart.
  while (child_of(pid_1) != -1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  // It may be tidying up after the last run, with a few open; a leak would be one per run.
  EXPECT_LT(count(), before + 20);
  EXPECT_EQ(mounts(), mounts_before);
}

TEST_P(LauncherTest, ADeadServerLeavesNothing) {
  os::Pipe pipe = std::move(*os::make_pipe());
  os::Pipe liveness = std::move(*os::make_pipe());
  const pid_t server = ::fork();
  if (server == 0) {
    // A server of its own, in the middle of a run whose payload holds the pipe's write end as its
    // standard error.
    launch();
    if (!client_) ::_exit(1);
    RunEvents events;
    events.output = [&](std::string_view) { (void)!::write(pipe.write_end.get(), "r", 1); };
    auto handle =
        client_->start(shell("setsid sleep 1000 & echo up; sleep 1000"), std::move(events));
    ::dprintf(pipe.write_end.get(), "%d\n", launcher_pid_);
    reactor_.run();
    ::_exit(0);
  }
  std::string seen;
  while (seen.find('r') == std::string::npos) {
    std::array<char, 64> buffer{};
    const ssize_t n = ::read(pipe.read_end.get(), buffer.data(), buffer.size());
    ASSERT_GT(n, 0);
    seen.append(buffer.data(), static_cast<std::size_t>(n));
  }
  const auto supervisor = static_cast<pid_t>(std::stol(seen));
  const pid_t launcher = child_of(supervisor);
  const pid_t pid_1 = child_of(launcher);
  const auto outer = os::open_pidfd(launcher);
  const auto inner = os::open_pidfd(pid_1);
  ASSERT_TRUE(outer.ok() && inner.ok());
  ::kill(server, SIGKILL);
  ::waitpid(server, nullptr, 0);
  // pid 1 of a namespace becomes a zombie only when all its processes are gone.
  for (const auto* fd : {&*inner, &*outer}) {
    pollfd ended{fd->get(), POLLIN, 0};
    EXPECT_EQ(::poll(&ended, 1, 20000), 1);
  }
  if (GetParam().without_cgroup || ::geteuid() != 0) return;
  const std::string mine = "container-mcp-" + std::to_string(launcher);
  EXPECT_NE(::access(("/sys/fs/cgroup/pids/" + mine).c_str(), F_OK), 0)
      << "cgroups are removed too";
}

TEST_P(LauncherTest, TheSupervisorsDeathEndsRunsWithAReason) {
  launch();
  ASSERT_NE(client_, nullptr);
  const pid_t victim = launcher_pid_;
  std::optional<RunOutcome> outcome;
  RunEvents events;
  std::string gone;
  client_->on_gone([&](const std::string& why) { gone = why; });
  events.output = [&](std::string_view) { ::kill(victim, SIGTERM); };
  events.done = [&](RunOutcome result) {
    outcome = std::move(result);
    reactor_.stop();
  };
  auto started = client_->start(shell("echo up; sleep 1000"), std::move(events));
  ASSERT_TRUE(started.ok());
  reactor_.run();
  EXPECT_EQ(outcome->end, End::kSandboxFailed);
  EXPECT_THAT(outcome->failure, HasSubstr("launcher ended"));
  if (GetParam().identity == IdentityMode::kUnprivileged) {
    EXPECT_TRUE(client_->available());
    EXPECT_EQ(run("echo again").out.text, "again\n");
  } else {
    EXPECT_EQ(client_->start(shell("true"), {}).error().code(), ErrorCode::kUnavailable);
    EXPECT_THAT(gone, HasSubstr("supervisor has ended"));
  }
}

TEST_P(LauncherTest, TheSupervisorStartsAnotherLauncher) {
  launch();
  ASSERT_NE(client_, nullptr);
  // Its outer process and its pid 1, each in the middle of a run.
  for (const bool outer : {true, false}) {
    const pid_t launcher = child_of(launcher_pid_);
    const pid_t victim = outer ? launcher : child_of(launcher);
    ASSERT_GT(victim, 0);
    std::optional<RunOutcome> outcome;
    RunEvents events;
    events.output = [&](std::string_view) { ::kill(victim, SIGKILL); };
    events.done = [&](RunOutcome result) {
      outcome = std::move(result);
      reactor_.stop();
    };
    ASSERT_TRUE(client_->start(shell("echo up; sleep 1000"), std::move(events)).ok());
    reactor_.run();
    EXPECT_EQ(outcome->end, End::kSandboxFailed);
    EXPECT_EQ(run("echo again > note; cat note").out.text, "again\n");
    EXPECT_NE(child_of(launcher_pid_), launcher);
  }
}

TEST_P(LauncherTest, EachLayerCanBeLeftOutByATestSwitch) {
  struct Row {
    Layer layer;
    const char* script;
    const char* without;  // what a run without the layer prints
  };
  const Row rows[] = {
      {Layer::kPidNamespace, "[ $PPID = 1 ] || echo other", "other\n"},
      {Layer::kUtsNamespace, "[ $(hostname) = sandbox ] || echo other", "other\n"},
      {Layer::kReadOnlyRoot, "grep -c ' / / ro' /proc/self/mountinfo", "0\n"},
      {Layer::kProc, "[ $(wc -c < /proc/cmdline) = 0 ] || echo other", "other\n"},
      {Layer::kCapabilities, "grep -q 'CapBnd:.0000000000000000' /proc/self/status || echo other",
       "other\n"},
      {Layer::kNoNewPrivs, "grep -c 'NoNewPrivs:.0' /proc/self/status", "1\n"},
      {Layer::kSeccomp, "grep -c 'Seccomp:.0' /proc/self/status", "1\n"},
  };
  for (const auto& row : rows) {
    client_.reset();
    options_.setup.disabled_layers = 0;
    EXPECT_NE(text_of(row.script), row.without) << name_of(row.layer);
    client_.reset();
    options_.setup.disabled_layers = 1U << static_cast<unsigned>(row.layer);
    EXPECT_EQ(text_of(row.script), row.without) << name_of(row.layer);
    EXPECT_TRUE(client_->facts().layer_disabled(row.layer));
  }
  for (const Layer layer : kLayers) {
    client_.reset();
    options_.setup.disabled_layers = 1U << static_cast<unsigned>(layer);
    const auto outcome = run("echo $((1+1))");
    EXPECT_EQ(outcome.out.text, "2\n")
        << name_of(layer) << ": " << outcome.failure << outcome.err.text;
  }
}

// Not a test: cold runs of `true` against posix_spawn of the same, in one interleaved loop.
TEST_P(LauncherTest, DISABLED_MeasuresColdRuns) {
  launch();
  ASSERT_NE(client_, nullptr);
  constexpr std::size_t kRounds = 200;
  std::vector<double> bare;
  std::vector<double> cold;
  std::array<std::vector<double>, 9> stages;
  client_->observe_times([&](const wire::Ended& ended) {
    for (std::size_t i = 1; i < stages.size(); ++i) {
      stages[i].push_back(static_cast<double>(ended.times[i] - ended.times[0]) / 1000);
    }
  });
  const auto since = [](std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin)
        .count();
  };
  std::string name = "/bin/true";
  std::array<char*, 2> argv{name.data(), nullptr};
  std::array<char*, 1> environment{nullptr};
  for (std::size_t i = 0; i < kRounds; ++i) {
    auto begin = std::chrono::steady_clock::now();
    pid_t pid = -1;
    ASSERT_EQ(::posix_spawn(&pid, argv[0], nullptr, nullptr, argv.data(), environment.data()), 0);
    ::waitpid(pid, nullptr, 0);
    bare.push_back(since(begin));
    RunRequest request = shell("");
    request.argv = {"/bin/true"};
    begin = std::chrono::steady_clock::now();
    ASSERT_EQ(run(std::move(request)).exit_code, 0);
    cold.push_back(since(begin));
  }
  const auto percentile = [](std::vector<double>& values, std::size_t part) {
    std::nth_element(values.begin(),
                     values.begin() + static_cast<std::ptrdiff_t>(values.size() / part),
                     values.end());
    return values[values.size() / part];
  };
  const char* names[] = {"received",    "cloned",     "child began",   "identity", "mounts",
                         "locked down", "init began", "payload ended", "reaped"};
  std::cout << "n=" << kRounds << " posix_spawn p50 " << percentile(bare, 2) << " us, cold p50 "
            << percentile(cold, 2) << " us, ratio " << percentile(cold, 2) / percentile(bare, 2)
            << "; p10 " << percentile(bare, 10) << ", " << percentile(cold, 10) << "\n";
  for (std::size_t i = 1; i < stages.size(); ++i)
    std::cout << "  " << names[i] << " at " << percentile(stages[i], 2) << " us, p10 "
              << percentile(stages[i], 10) << "\n";
}

TEST(SharedIdentityLauncher, RefusesAWorkspaceOfRoot) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "needs root: only a root start can meet a workspace of root's";
  LauncherClient::SpawnOptions options;
  options.helper_directory = {CMCP_HELPER_DIRECTORY};
  options.setup.server_uid = kServerUid;
  options.setup.server_gid = kServerUid;
  options.setup.without_idmap = true;
  options.setup.roots = {{{"/var/tmp"}, "", false}};
  options.setup.profiles = {shell_profile()};
  const auto spawned = LauncherClient::spawn(options);
  ASSERT_FALSE(spawned.ok());
  EXPECT_THAT(spawned.error().message(), HasSubstr("belongs to root"));
}

}  // namespace
}  // namespace cmcp::sandbox
