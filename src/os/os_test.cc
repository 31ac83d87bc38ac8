// The calls on the real kernel. What needs namespaces runs in a child with its own user namespace.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "os/error.h"
#include "os/fd_passing.h"
#include "os/file.h"
#include "os/landlock.h"
#include "os/memfd.h"
#include "os/mount.h"
#include "os/network.h"
#include "os/privileges.h"
#include "os/proc.h"
#include "os/process.h"
#include "os/seccomp.h"

namespace cmcp::os {
namespace {

class TempDir {
 public:
  TempDir() {
    std::string pattern = "/var/tmp/cmcp-os-XXXXXX";
    path_ = ::mkdtemp(pattern.data());
  }
  ~TempDir() {
    ::unlink((path_ + "/f").c_str());
    ::unlink((path_ + "/link").c_str());
    ::rmdir(path_.c_str());
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// The exit code of a child that does `action`; 255 when it was killed.
int in_child(const std::function<int()>& action, std::uint64_t flags = 0) {
  auto child = fork_with(flags);
  if (!child.ok()) return 254;
  if (child->pid == 0) ::_exit(action());
  int status = 0;
  ::waitpid(child->pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

TEST(Error, NamesCallSubjectAndErrno) {
  const auto missing = open_at(AT_FDCWD, "/there/is/no/such", O_RDONLY);
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().message(), "openat(/there/is/no/such): No such file or directory");
  EXPECT_EQ(missing.error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(missing.error().os_errno(), ENOENT);
}

TEST(File, WritesReadsAndBounds) {
  const TempDir dir;
  const std::string path = dir.path() + "/f";
  auto file = open_at(AT_FDCWD, path, O_WRONLY | O_CREAT, 0600);
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(write_all(file->get(), std::string(100000, 'a')).ok());
  EXPECT_EQ(read_file(path, 100000)->size(), 100000u);
  EXPECT_EQ(read_file(path, 99999).error().code(), ErrorCode::kLimitExceeded);
}

TEST(File, Openat2StaysBeneath) {
  const TempDir dir;
  ASSERT_EQ(::symlink("/etc/passwd", (dir.path() + "/link").c_str()), 0);
  const auto fd = open_at(AT_FDCWD, dir.path(), O_PATH | O_DIRECTORY);
  EXPECT_FALSE(openat2(fd->get(), "../..", O_PATH, RESOLVE_BENEATH).ok());
  EXPECT_FALSE(openat2(fd->get(), "link", O_RDONLY, RESOLVE_BENEATH).ok());
  EXPECT_FALSE(openat2(fd->get(), "link", O_RDONLY, RESOLVE_NO_SYMLINKS).ok());
  EXPECT_TRUE(openat2(fd->get(), ".", O_PATH, RESOLVE_BENEATH).ok());
}

TEST(File, ReadSomeTellsNothingFromEnd) {
  auto pipe = std::move(*make_pipe());
  ASSERT_TRUE(set_nonblocking(pipe.read_end.get(), true).ok());
  EXPECT_FALSE(read_some(pipe.read_end.get(), 10)->has_value());
  ASSERT_TRUE(write_all(pipe.write_end.get(), "abc").ok());
  EXPECT_EQ(**read_some(pipe.read_end.get(), 10), "abc");
  pipe.write_end.reset();
  EXPECT_EQ(**read_some(pipe.read_end.get(), 10), "");
}

TEST(Memfd, CannotBeChangedAnyMore) {
  const auto fd = sealed_memfd("x", "content");
  ASSERT_TRUE(fd.ok());
  EXPECT_EQ(*read_all(fd->get(), 100), "content");
  EXPECT_LT(::pwrite(fd->get(), "y", 1, 0), 0);
  EXPECT_LT(::ftruncate(fd->get(), 0), 0);
  EXPECT_LT(::fcntl(fd->get(), F_ADD_SEALS, F_SEAL_SEAL), 0);
}

TEST(FdPassing, CountsByWhatArrived) {
  auto pair = std::move(*seqpacket_pair());
  const auto before = *count_open_descriptors();
  {
    std::vector<int> fds(kMaxPassedFds, 0);
    ASSERT_TRUE(send_message(pair.first.get(), "m", fds, SendMode::kWait).ok());
    const auto got = receive_message(pair.second.get(), 10);
    ASSERT_TRUE(got.ok());
    EXPECT_EQ(got->fds.size(), kMaxPassedFds);
    EXPECT_EQ(::fcntl(got->fds[0].get(), F_GETFD), FD_CLOEXEC);
    EXPECT_FALSE(
        send_message(pair.first.get(), "m", std::vector<int>(kMaxPassedFds + 1, 0), SendMode::kWait)
            .ok());
    ASSERT_TRUE(send_message(pair.first.get(), "too long", {0}, SendMode::kWait).ok());
    EXPECT_EQ(receive_message(pair.second.get(), 3).error().code(), ErrorCode::kProtocol);
  }
  EXPECT_EQ(*count_open_descriptors(), before) << "nothing of a refused message stays open";
  EXPECT_TRUE(::fcntl(0, F_GETFD) >= 0 && ::fcntl(1, F_GETFD) >= 0);
}

TEST(Landlock, GrantsOnlyWhatIsNamed) {
  const int abi = landlock_abi();
  if (abi == 0) GTEST_SKIP() << "this kernel has no Landlock";
  const TempDir dir;
  const int code = in_child([&] {
    auto rules = LandlockRuleset::create(abi);
    if (!rules.ok()) return 1;
    const auto fd = open_at(AT_FDCWD, dir.path(), O_PATH);
    if (!fd.ok() || !rules->allow(fd->get(), LandlockAccess::kReadWrite).ok()) return 2;
    if (!no_new_privileges().ok() || !landlock_restrict(rules->take().get()).ok()) return 3;
    if (read_file("/etc/passwd", 1 << 20).ok()) return 4;
    if (!open_at(AT_FDCWD, dir.path() + "/f", O_WRONLY | O_CREAT, 0700).ok()) return 5;
    return 0;
  });
  EXPECT_EQ(code, 0);
}

TEST(Landlock, OlderAbisTakeTheirSizes) {
  for (int abi = 1; abi <= landlock_abi(); ++abi)
    EXPECT_TRUE(LandlockRuleset::create(abi).ok()) << abi;
}

TEST(Seccomp, LoadsAFilterAndRefusesNonsense) {
  EXPECT_EQ(load_seccomp({}).error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(load_seccomp(std::vector<sock_filter>(4097)).error().code(),
            ErrorCode::kInvalidArgument);
  const int code = in_child([] {
    if (!no_new_privileges().ok()) return 1;
    // getppid answers EPERM (1), everything else is allowed.
    const std::vector<sock_filter> filter = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 110, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, 0x00050001U), BPF_STMT(BPF_RET | BPF_K, 0x7fff0000U)};
    if (!load_seccomp(filter).ok()) return 2;
    return ::getppid() == -1 ? 0 : 3;
  });
#if defined(__x86_64__)
  EXPECT_EQ(code, 0);
#else
  EXPECT_TRUE(code == 0 || code == 3);
#endif
}

TEST(Privileges, OtherGroupsLeaveOutTheOwn) {
  const auto groups = other_groups();
  ASSERT_TRUE(groups.ok());
  const auto all = ::getgroups(0, nullptr);
  EXPECT_LE(groups->size(), static_cast<std::size_t>(all));
  for (const gid_t group : *groups) EXPECT_NE(group, ::getegid());
}

TEST(Process, SignalsByPidfd) {
  auto child = fork_with(0);
  ASSERT_TRUE(child.ok());
  if (child->pid == 0) {
    while (true) ::pause();
  }
  ASSERT_TRUE(signal_pidfd(child->pidfd.get(), SIGKILL).ok());
  int status = 0;
  ASSERT_EQ(::waitpid(child->pid, &status, 0), child->pid);
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  EXPECT_TRUE(signal_pidfd(child->pidfd.get(), SIGKILL).ok()) << "gone is no error";
}

TEST(Mount, BuildsADetachedTree) {
  const TempDir dir;
  const int code = in_child(
      [&] {
        // Without id maps the child is nobody, but has every capability in its namespaces.
        if (!mount_old(nullptr, "/", nullptr, (1UL << 14) | (1UL << 18)).ok()) return 1;
        const auto tree = new_filesystem("tmpfs", {{"size", "64k"}}, MOUNT_ATTR_NOSUID);
        if (!tree.ok() || !attach_tree(tree->get(), AT_FDCWD, dir.path()).ok()) return 2;
        const auto copy = clone_tree(AT_FDCWD, dir.path(), Recursive::kYes);
        if (!copy.ok() ||
            !set_mount_attributes(copy->get(), {.set = MOUNT_ATTR_RDONLY}, Recursive::kYes).ok())
          return 3;
        if (!attach_tree(copy->get(), AT_FDCWD, dir.path()).ok()) return 4;
        if (!stack_pivot(dir.path()).ok() || !detach_old_root().ok()) return 5;
        return ::access("/etc", F_OK) != 0 ? 0 : 6;
      },
      CLONE_NEWUSER | CLONE_NEWNS);
  EXPECT_EQ(code, 0);
}

TEST(Network, ANewOneHasOnlyItsLoopback) {
  const int code = in_child(
      [] {
        if (!enter_new_network().ok()) return 1;
        const auto devices = read_file("/proc/self/net/dev", 65536);
        if (!devices.ok()) return 2;
        return devices->find("eth") == std::string::npos &&
                       devices->find("lo:") != std::string::npos
                   ? 0
                   : 3;
      },
      CLONE_NEWUSER);
  EXPECT_EQ(code, 0);
}

TEST(Privileges, EverythingGoesAndStaysGone) {
  const int code = in_child(
      [] {
        if (!drop_bounding_set().ok() || !clear_ambient().ok() || !lock_securebits().ok()) return 1;
        if (!set_capabilities(0, 0, 0).ok() || !no_new_privileges().ok()) return 2;
        const auto status = *read_file("/proc/self/status", 65536);
        for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"}) {
          if (status.find(std::string(set) + ":\t0000000000000000") == std::string::npos) return 3;
        }
        return drop_bounding_set().ok() ? 4 : 0;
      },
      CLONE_NEWUSER);
  EXPECT_EQ(code, 0);
}

TEST(Privileges, LimitsAreNeverRaisedOverTheHardOne) {
  const int code = in_child([] {
    if (!set_limit(RLIMIT_NOFILE, 50, 50).ok()) return 1;
    if (!set_limit(RLIMIT_NOFILE, 40, 40).ok()) return 2;
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_max == 40 ? 0 : 3;
  });
  EXPECT_EQ(code, 0);
}

TEST(Proc, ParsesNamesOfAnyShape) {
  const auto sample =
      parse_stat("12 (a) b) (c) S 7 1 1 0 -1 0 0 0 0 0 10 20 1 2 20 0 1 0 100 1000000 3 0");
  ASSERT_TRUE(sample);
  EXPECT_EQ(sample->pid, 12);
  EXPECT_EQ(sample->parent, 7);
  EXPECT_EQ(sample->cpu_ticks, 33u);
  EXPECT_EQ(sample->resident_bytes, 3u * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)));
  for (const char* bad : {"", "12", "12 (x", "12 (x) S", ") (",
                          "x (y) S 1 1 1 0 -1 0 0 0 0 0 10 20 1 2 20 0 1 0 100 1 3 0"}) {
    EXPECT_FALSE(parse_stat(bad)) << bad;
  }
}

TEST(Proc, FindsTheOwnCgroup) {
  const char* mounts =
      "1 0 0:1 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
      "2 0 0:2 /docker/abc /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"
      "3 0 0:3 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
  const char* cgroup = "4:memory:/a/b\n3:pids:/docker/abc/sub\n0::/user.slice\n";
  EXPECT_EQ(own_cgroup("memory", cgroup, mounts), "/sys/fs/cgroup/memory/a/b");
  EXPECT_EQ(own_cgroup("pids", cgroup, mounts), "/sys/fs/cgroup/pids/sub");
  EXPECT_EQ(own_cgroup("", cgroup, mounts), "/sys/fs/cgroup/unified/user.slice");
  EXPECT_FALSE(own_cgroup("cpu", cgroup, mounts));
}

}  // namespace
}  // namespace cmcp::os
