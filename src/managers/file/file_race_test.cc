// What happens when somebody rearranges the workspace while the file tools work, when a writer is
// killed, and when two servers write at once. Every race is bounded by swaps and by time.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include "managers/file/file_core.h"
#include "managers/file/test_directory.h"

namespace cmcp::file {
namespace {

using ::testing::HasSubstr;
using testing::TestDirectory;

FileCore core_for(const TestDirectory& files) {
  FileOptions options;
  options.state_dir = HostPath{files.state()};
  return FileCore::create(options).value();
}

// Exchanges the directory `name` with a link to the outside, again and again, in a thread of its
// own.
class Swapper {
 public:
  Swapper(const TestDirectory& files, const char* name)
      : name_(name), directory_(::open(files.workspace().c_str(), O_PATH | O_CLOEXEC)) {
    files.link("../outside", "swap-link");
    thread_ = std::thread([this] { run(); });
  }
  ~Swapper() {
    stop_ = true;
    thread_.join();
  }
  bool running() const { return !done_; }
  int swaps() const { return swaps_; }

 private:
  void run() {
    constexpr int kMaxSwaps = 20000;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(3);
    while (!stop_ && swaps_ < kMaxSwaps && std::chrono::steady_clock::now() < deadline) {
      if (::renameat2(directory_.get(), name_, directory_.get(), "swap-link", RENAME_EXCHANGE) == 0)
        ++swaps_;
    }
    done_ = true;
  }
  const char* name_;
  Fd directory_;
  std::atomic<bool> stop_{false};
  std::atomic<bool> done_{false};
  std::atomic<int> swaps_{0};
  std::thread thread_;
};

class SwapRace : public ::testing::TestWithParam<WalkMode> {
 protected:
  SwapRace() { workspace_.set_walk_mode(GetParam()); }

  TestDirectory files_;
  Workspace workspace_ = Workspace::open(HostPath{files_.workspace()}).value();
  FileCore core_ = core_for(files_);
  CancelFlag cancel_;
};

TEST_P(SwapRace, NothingOutsideIsReadChangedOrDeleted) {
  files_.directory("dir");
  files_.write("dir/canary.txt", "inside content");
  files_.write("mover.txt", "moved");
  int inside = 0;
  int refused = 0;
  {
    const Swapper swapper(files_, "dir");
    while (swapper.running()) {
      const auto read = core_.read(workspace_, {.path = "dir/canary.txt"}, cancel_);
      if (read.ok()) {
        ASSERT_NE(read->content, "canary") << "a file outside was read";
        ++inside;
      } else {
        ++refused;
      }
      (void)core_.write(workspace_, {.path = "dir/new.txt", .content = "x"}, cancel_).ok();
      (void)core_
          .write(workspace_, {.path = "dir/canary.txt", .content = "inside content"}, cancel_)
          .ok();
      const auto list = core_.list(workspace_, {.path = "dir"}, cancel_);
      if (list.ok()) {
        for (const ListEntry& entry : list->entries)
          ASSERT_NE(entry.size, 6U) << "a file outside was looked at";
      }
      (void)core_.remove(workspace_, {"dir/new.txt", false}, cancel_).ok();
      (void)core_.move(workspace_, {"mover.txt", "dir/mover.txt", false}, cancel_).ok();
      (void)core_.move(workspace_, {"dir/mover.txt", "mover.txt", false}, cancel_).ok();
      ASSERT_TRUE(files_.outside_is_untouched());
    }
    EXPECT_GT(swapper.swaps(), 100);
  }
  EXPECT_GT(inside, 0);
  EXPECT_GT(refused, 0);
  EXPECT_TRUE(files_.outside_is_untouched());
}

TEST_P(SwapRace, RecursiveWalksStayInside) {
  files_.directory("top/dir/sub");
  files_.write("top/dir/sub/a.txt", "a");
  {
    // The exchanged names are in the workspace's root; the walk passes through them.
    files_.directory("dir/deep");
    files_.write("dir/deep/b.txt", "b");
    const Swapper swapper(files_, "dir");
    for (int i = 0; swapper.running(); ++i) {
      const auto list = core_.list(workspace_, {}, cancel_);
      ASSERT_TRUE(list.ok()) << list.error().message();
      for (const ListEntry& entry : list->entries) ASSERT_NE(entry.name, "canary.txt");
      if (i % 4 == 3) (void)core_.remove(workspace_, {"dir/deep", true}, cancel_).ok();
      (void)core_.write(workspace_, {.path = "dir/deep/b.txt", .content = "b"}, cancel_).ok();
      ASSERT_TRUE(files_.outside_is_untouched());
    }
  }
  EXPECT_TRUE(files_.outside_is_untouched());
}

INSTANTIATE_TEST_SUITE_P(Modes, SwapRace,
                         ::testing::Values(WalkMode::kOpenat2, WalkMode::kComponentWalk),
                         [](const auto& row) {
                           return row.param == WalkMode::kOpenat2 ? "openat2" : "component_walk";
                         });

// Ends and reaps a child that the test forked.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() { kill(); }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    (void)wait();
  }
  int wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return status;
  }

 private:
  pid_t pid_;
};

TEST(FileCrash, AKilledWriterLeavesTheWholeOldOrTheWholeNewFile) {
  const TestDirectory files;
  const std::string first(2'000'000, 'a');
  const std::string second(2'000'000, 'b');
  files.write("big.txt", first);
  std::minstd_rand random(7);
  for (int round = 0; round < 50; ++round) {
    int ready[2];
    ASSERT_EQ(::pipe2(ready, O_CLOEXEC), 0);
    const pid_t pid = ::fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      ::alarm(20);
      const Workspace workspace = Workspace::open(HostPath{files.workspace()}).value();
      const FileCore core = core_for(files);
      const CancelFlag cancel;
      (void)!::write(ready[1], "x", 1);
      for (;;) {
        (void)core.write(workspace, {.path = "big.txt", .content = first}, cancel).ok();
        (void)core.write(workspace, {.path = "big.txt", .content = second}, cancel).ok();
      }
    }
    Child child(pid);
    ::close(ready[1]);
    char byte = 0;
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    ::close(ready[0]);
    // A different moment of the loop each time: the delay is no synchronisation, any moment is
    // right.
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 8000));
    child.kill();
    const std::string now = files.read("big.txt");
    ASSERT_TRUE(now == first || now == second)
        << "torn after round " << round << ": " << now.size() << " bytes";
  }
  const Workspace workspace = Workspace::open(HostPath{files.workspace()}).value();
  const auto list = core_for(files).list(workspace, {.include_hidden = true}, CancelFlag{});
  ASSERT_EQ(list.value().entries.size(), 1U);
  // The killed writers' lock is gone with them.
  EXPECT_TRUE(
      core_for(files).write(workspace, {.path = "big.txt", .content = "end"}, CancelFlag{}).ok());
}

TEST(FileLocks, ServersThatAppendAtOnceLoseNothing) {
  const TestDirectory files;
  constexpr int kProcesses = 3;
  constexpr int kAppends = 25;
  std::vector<std::unique_ptr<Child>> children;
  for (int process = 0; process < kProcesses; ++process) {
    const pid_t pid = ::fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      ::alarm(60);
      const Workspace workspace = Workspace::open(HostPath{files.workspace()}).value();
      const FileCore core = core_for(files);
      bool good = true;
      for (int i = 0; i < kAppends; ++i) {
        const std::string line = std::to_string(process) + ":" + std::to_string(i) + "\n";
        good = core.write(workspace, {.path = "sub/../log.txt", .content = line, .append = true},
                          CancelFlag{})
                   .ok() &&
               good;
        good = core.write(workspace, {.path = "log.txt", .content = line, .append = true},
                          CancelFlag{})
                   .ok() &&
               good;
      }
      ::_exit(good ? 0 : 1);
    }
    children.push_back(std::make_unique<Child>(pid));
  }
  files.directory("sub");
  int ended_well = 0;
  for (const auto& child : children) ended_well += child->wait() == 0 ? 1 : 0;
  EXPECT_EQ(ended_well, kProcesses);
  const std::string log = files.read("log.txt");
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), kProcesses * kAppends * 2);
  for (int process = 0; process < kProcesses; ++process) {
    EXPECT_THAT(log,
                HasSubstr(std::to_string(process) + ":" + std::to_string(kAppends - 1) + "\n"));
  }
}

TEST(FileLocks, ThreadsThatCreateAtOnceAgreeOnOneCreator) {
  const TestDirectory files;
  const Workspace workspace = Workspace::open(HostPath{files.workspace()}).value();
  const FileCore core = core_for(files);
  std::atomic<int> created{0};
  std::atomic<int> written{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const auto result =
          core.write(workspace, {.path = "one.txt", .content = "x", .append = true}, CancelFlag{});
      if (result.ok()) ++written;
      if (result.ok() && result->created) ++created;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(created, 1);
  EXPECT_EQ(written, 4);
  EXPECT_EQ(files.read("one.txt"), "xxxx");
}

// Root passes every mode, so these run in a child with an ordinary uid.
TEST(FilePermissions, AnOrdinaryUserMeetsTheModes) {
  const TestDirectory files;
  files.directory("locked");
  files.directory("fixed");
  files.write("locked/in.txt", "x");
  files.write("fixed/in.txt", "x");
  files.write("secret.txt", "x");
  files.write("frozen.txt", "old");
  files.write("a.txt", "A");
  if (::geteuid() == 0) {
    constexpr uid_t kUser = 65534;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(files.workspace() + "/..")) {
      if (entry.path().filename() == "canary.txt") continue;
      ASSERT_EQ(::lchown(entry.path().c_str(), kUser, kUser), 0);
    }
    ASSERT_EQ(::chown((files.workspace() + "/..").c_str(), kUser, kUser), 0);
  }
  ::chmod(files.at("locked").c_str(), 0000);
  ::chmod(files.at("fixed").c_str(), 0555);
  ::chmod(files.at("secret.txt").c_str(), 0000);
  ::chmod(files.at("frozen.txt").c_str(), 0444);
  int report[2];
  ASSERT_EQ(::pipe2(report, O_CLOEXEC), 0);
  const pid_t pid = ::fork();
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    ::alarm(30);
    if (::geteuid() == 0 &&
        (::setgroups(0, nullptr) != 0 || ::setresgid(65534, 65534, 65534) != 0 ||
         ::setresuid(65534, 65534, 65534) != 0)) {
      ::_exit(2);
    }
    const Workspace workspace = Workspace::open(HostPath{files.workspace()}).value();
    const FileCore core = core_for(files);
    const CancelFlag cancel;
    std::string out;
    const auto tell = [&](const auto& result) {
      out += (result.ok() ? "ok" : result.error().message()) + "\n";
    };
    tell(core.read(workspace, {.path = "secret.txt"}, cancel));
    tell(core.read(workspace, {.path = "locked/in.txt"}, cancel));
    tell(core.write(workspace, {.path = "frozen.txt", .content = "new"}, cancel));
    tell(core.write(workspace, {.path = "fixed/new.txt", .content = "new"}, cancel));
    tell(core.remove(workspace, {"fixed/in.txt", false}, cancel));
    tell(core.move(workspace, {"a.txt", "fixed/a.txt", false}, cancel));
    tell(core.write(workspace, {.path = "a.txt", .content = "new"}, cancel));
    const ListResult listed = core.list(workspace, {}, cancel).value();
    for (const ListEntry& entry : listed.entries) {
      if (entry.path == "locked") out += entry.mode + " " + entry.error + "\n";
      if (entry.path == "fixed/in.txt" || entry.path == "a.txt") out += entry.path + "\n";
    }
    tell(core.remove(workspace, {"fixed", true}, cancel));
    tell(core.remove(workspace, {"locked", true}, cancel));
    (void)!::write(report[1], out.data(), out.size());
    ::_exit(0);
  }
  Child child(pid);
  ::close(report[1]);
  std::string out;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::read(report[0], buffer, sizeof buffer)) > 0;)
    out.append(buffer, static_cast<std::size_t>(got));
  ::close(report[0]);
  EXPECT_EQ(child.wait(), 0);
  EXPECT_FALSE(files.exists("fixed"));
  EXPECT_FALSE(files.exists("locked"));
  EXPECT_EQ(out,
            "Permission denied: secret.txt\n"
            "Permission denied: locked/in.txt\n"
            "Permission denied: frozen.txt\n"
            "Permission denied: fixed/new.txt\n"
            "Permission denied: fixed/in.txt\n"
            "Permission denied: a.txt (moving it to fixed/a.txt)\n"
            "ok\n"
            "a.txt\n"
            "fixed/in.txt\n"
            "0000 Cannot be listed: Permission denied\n"
            "ok\n"
            "ok\n");
  EXPECT_EQ(files.read("frozen.txt"), "old");
}

}  // namespace
}  // namespace cmcp::file
