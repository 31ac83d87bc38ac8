#include "sandbox/seccomp_policy.h"

#include <errno.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/netlink.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <sstream>

namespace cmcp::sandbox {
namespace {

using testing::HasSubstr;

std::vector<sock_filter> filter(const SeccompOptions& options = {}) {
  auto compiled = compile_seccomp(options);
  EXPECT_TRUE(compiled.ok()) << (compiled.ok() ? "" : compiled.error().message());
  return compiled.ok() ? std::move(compiled).value() : std::vector<sock_filter>{};
}

bool load(std::vector<sock_filter>& program) {
  const sock_fprog fprog{static_cast<unsigned short>(program.size()), program.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &fprog) == 0;
}

// Runs `act` in a child under the filter; its return value (0..100) is the child's exit status, 200
// = not loaded, 128 + signal when it was killed.
int under(std::vector<sock_filter> program, const std::function<int()>& act) {
  const pid_t child = fork();
  if (child == 0) _exit(load(program) ? act() : 200);
  int status = 0;
  if (waitpid(child, &status, 0) != child) return -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// errno of one raw call under the filter; 0 when it succeeded.
int errno_of(const SeccompOptions& options, long number, std::array<unsigned long, 6> a) {
  return under(filter(options), [number, a] {
    const long rc = syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    return rc == -1 ? errno : 0;
  });
}
int errno_of(long number, std::array<unsigned long, 6> arguments = {}) {
  return errno_of({}, number, arguments);
}

unsigned long pointer(const void* p) {
  return reinterpret_cast<unsigned long>(p);
}

class TempDir {
 public:
  TempDir() {
    char name[] = "/tmp/cmcp-seccomp-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~TempDir() { std::filesystem::remove_all(path_); }
  std::string operator/(const char* name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(SeccompPolicy, ForbiddenCallsAnswerEperm) {
  struct Row {
    const char* name;
    long number;
    std::array<unsigned long, 6> arguments;
  };
  const char* root = "/";
  const Row rows[] = {
      {"unshare user", SYS_unshare, {CLONE_NEWUSER}},
      {"unshare mount", SYS_unshare, {CLONE_NEWNS}},
      {"setns", SYS_setns, {0, 0}},
      {"mount", SYS_mount, {pointer(root), pointer(root), 0, 32 /* MS_REMOUNT */, 0}},
      {"umount2", SYS_umount2, {pointer("/proc"), 2}},
      {"pivot_root", SYS_pivot_root, {pointer(root), pointer(root)}},
      {"chroot", SYS_chroot, {pointer(root)}},
      {"open_tree", 428, {static_cast<unsigned long>(AT_FDCWD), pointer(root), 1}},
      {"move_mount", 429, {}},
      {"fsopen", 430, {pointer("tmpfs"), 0}},
      {"fsconfig", 431, {}},
      {"fsmount", 432, {}},
      {"fspick", 433, {}},
      {"mount_setattr", 442, {}},
      {"ptrace TRACEME", SYS_ptrace, {PTRACE_TRACEME}},
      {"process_vm_readv", SYS_process_vm_readv, {1}},
      {"process_vm_writev", SYS_process_vm_writev, {1}},
      {"kcmp", SYS_kcmp, {}},
      {"pidfd_getfd", 438, {}},
      {"process_madvise", 440, {}},
      {"bpf", SYS_bpf, {}},
      {"perf_event_open", SYS_perf_event_open, {}},
      {"userfaultfd", SYS_userfaultfd, {}},
      {"io_uring_setup", 425, {1}},
      {"io_uring_enter", 426, {}},
      {"io_uring_register", 427, {}},
      {"io_setup", SYS_io_setup, {1}},
      {"init_module", SYS_init_module, {}},
      {"finit_module", SYS_finit_module, {}},
      {"delete_module", SYS_delete_module, {}},
      {"kexec_load", SYS_kexec_load, {}},
      {"reboot", SYS_reboot, {}},
      {"swapon", SYS_swapon, {}},
      {"acct", SYS_acct, {}},
      {"quotactl", SYS_quotactl, {}},
      {"clock_settime", SYS_clock_settime, {99}},
      {"settimeofday", SYS_settimeofday, {}},
      {"adjtimex", SYS_adjtimex, {}},
      {"syslog", SYS_syslog, {3}},
      {"fanotify_init", SYS_fanotify_init, {}},
      {"mbind", SYS_mbind, {}},
      {"move_pages", SYS_move_pages, {}},
      {"migrate_pages", SYS_migrate_pages, {}},
      {"set_mempolicy", SYS_set_mempolicy, {}},
      {"vmsplice", SYS_vmsplice, {}},
      {"memfd_secret", 447, {}},
      {"keyctl", SYS_keyctl, {}},
      {"add_key", SYS_add_key, {}},
      {"request_key", SYS_request_key, {}},
      {"name_to_handle_at", SYS_name_to_handle_at, {}},
      {"open_by_handle_at", SYS_open_by_handle_at, {}},
      {"sethostname", SYS_sethostname, {pointer(root), 1}},
      {"setdomainname", SYS_setdomainname, {pointer(root), 1}},
      {"personality ADDR_NO_RANDOMIZE", SYS_personality, {0x0040000}},
      {"personality READ_IMPLIES_EXEC", SYS_personality, {0x0400000}},
      {"prctl PR_SET_MM", SYS_prctl, {PR_SET_MM}},
      {"prctl PR_SET_SECUREBITS", SYS_prctl, {PR_SET_SECUREBITS}},
      {"prctl PR_SET_KEEPCAPS", SYS_prctl, {PR_SET_KEEPCAPS}},
      {"prctl PR_SCHED_CORE", SYS_prctl, {62}},
      {"seccomp NEW_LISTENER",
       SYS_seccomp,
       {SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER}},
#ifdef __x86_64__
      {"iopl", SYS_iopl, {3}},
      {"ioperm", SYS_ioperm, {}},
      {"modify_ldt", SYS_modify_ldt, {}},
#endif
  };
  for (const Row& row : rows) EXPECT_EQ(errno_of(row.number, row.arguments), EPERM) << row.name;
}

TEST(SeccompPolicy, UnknownAndUninspectableCallsAnswerEnosys) {
  EXPECT_EQ(errno_of(999), ENOSYS);
  EXPECT_EQ(errno_of(SYS_clone3), ENOSYS);
  EXPECT_EQ(errno_of(437 /* openat2 */), ENOSYS);
}

TEST(SeccompPolicy, CloneMakesProcessesButNoNamespace) {
  for (unsigned long flag : std::initializer_list<unsigned long>{
           CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID,
           CLONE_NEWNET}) {
    EXPECT_EQ(errno_of(SYS_clone, {flag | SIGCHLD}), EPERM) << flag;
    EXPECT_EQ(errno_of(SYS_clone, {flag | SIGCHLD | (1UL << 40)}), EPERM) << flag;
  }
  EXPECT_EQ(under(filter(),
                  [] {
                    const pid_t child = fork();
                    if (child == 0) _exit(7);
                    int status = 0;
                    return waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7 ? 0 : 1;
                  }),
            0);
}

TEST(SeccompPolicy, SocketFamilies) {
  const auto family = [](unsigned long domain, unsigned long protocol = 0,
                         unsigned long type = SOCK_DGRAM) {
    return errno_of(SYS_socket, {domain, type, protocol});
  };
  for (unsigned long allowed : std::initializer_list<unsigned long>{AF_UNIX, AF_INET})
    EXPECT_EQ(family(allowed), 0) << allowed;
  EXPECT_THAT(family(AF_INET6),
              testing::AnyOf(0, EAFNOSUPPORT));  // a kernel without IPv6 says so itself
  EXPECT_EQ(family(AF_NETLINK, NETLINK_ROUTE, SOCK_RAW), 0);
  EXPECT_EQ(family(AF_NETLINK, NETLINK_KOBJECT_UEVENT, SOCK_RAW), EAFNOSUPPORT);
  EXPECT_EQ(family(AF_NETLINK, 12 /* NETFILTER */, SOCK_RAW), EAFNOSUPPORT);
  for (unsigned long domain = 3; domain < 64; ++domain) {
    if (domain == AF_INET6 || domain == AF_NETLINK) continue;
    EXPECT_EQ(family(domain), EAFNOSUPPORT) << domain;
  }
  EXPECT_EQ(family((1UL << 32) | AF_VSOCK), EAFNOSUPPORT);
  EXPECT_EQ(family((1UL << 32) | AF_UNIX), EAFNOSUPPORT);
  int pair[2];
  EXPECT_EQ(errno_of(SYS_socketpair, {AF_UNIX, SOCK_STREAM, 0, pointer(pair)}), 0);
  EXPECT_EQ(errno_of(SYS_socketpair, {AF_TIPC, SOCK_STREAM, 0, pointer(pair)}), EAFNOSUPPORT);
}

TEST(SeccompPolicy, WithoutSocketsOnlyConnectedPairsExist) {
  const SeccompOptions options{.deny_sockets = true};
  for (unsigned long domain = 1; domain < 50; ++domain)
    EXPECT_EQ(errno_of(options, SYS_socket, {domain, SOCK_DGRAM, 0}), EAFNOSUPPORT) << domain;
  EXPECT_EQ(errno_of(options, SYS_connect, {0, 0, 0}), EPERM);
  EXPECT_EQ(errno_of(options, SYS_bind, {0, 0, 0}), EPERM);
  int pair[2];
  const auto pair_of = [&](unsigned long type) {
    return errno_of(options, SYS_socketpair, {AF_UNIX, type, 0, pointer(pair)});
  };
  EXPECT_EQ(pair_of(SOCK_STREAM | SOCK_CLOEXEC), 0);
  EXPECT_EQ(pair_of(SOCK_SEQPACKET), 0);
  // Each of a datagram pair may send to any abstract name of the host.
  EXPECT_EQ(pair_of(SOCK_DGRAM), EAFNOSUPPORT);
}

TEST(SeccompPolicy, TerminalInjectionIsRefusedInEveryWidth) {
  for (unsigned long request : {0x5412UL, 0x541CUL, 0x5423UL}) {
    EXPECT_EQ(errno_of(SYS_ioctl, {0, request, 0}), EPERM) << request;
    EXPECT_EQ(errno_of(SYS_ioctl, {0, request | (1UL << 32), 0}), EPERM) << request;
  }
  EXPECT_NE(errno_of(SYS_ioctl, {0, TIOCGWINSZ, 0}), EPERM);
}

TEST(SeccompPolicy, SetIdBitsAreRefusedAndOrdinaryModesAreNot) {
  TempDir dir;
  const std::string path = dir / "file";
  std::ofstream(path) << "x";
  const unsigned long name = pointer(path.c_str());
  const unsigned long here = static_cast<unsigned long>(AT_FDCWD);
  const std::string fresh = dir / "new";
  const unsigned long fresh_name = pointer(fresh.c_str());
  for (unsigned long bit : std::initializer_list<unsigned long>{S_ISUID, S_ISGID}) {
    const unsigned long mode = bit | 0755;
    EXPECT_EQ(errno_of(SYS_fchmodat, {here, name, mode}), EPERM);
    EXPECT_EQ(errno_of(452 /* fchmodat2 */, {here, name, mode, 0}), EPERM);
    EXPECT_EQ(errno_of(SYS_fchmod, {0, mode}), EPERM);
    EXPECT_EQ(errno_of(SYS_openat, {here, fresh_name, O_CREAT | O_WRONLY, mode}), EPERM);
    EXPECT_EQ(errno_of(SYS_openat, {here, pointer(dir.path().c_str()), O_TMPFILE | O_WRONLY, mode}),
              EPERM);
    EXPECT_EQ(errno_of(SYS_mkdirat, {here, fresh_name, mode}), EPERM);
    EXPECT_EQ(errno_of(SYS_mknodat, {here, fresh_name, mode | S_IFIFO}), EPERM);
#ifdef __x86_64__
    EXPECT_EQ(errno_of(SYS_chmod, {name, mode}), EPERM);
    EXPECT_EQ(errno_of(SYS_open, {fresh_name, O_CREAT | O_WRONLY, mode}), EPERM);
    EXPECT_EQ(errno_of(SYS_creat, {fresh_name, mode}), EPERM);
    EXPECT_EQ(errno_of(SYS_mkdir, {fresh_name, mode}), EPERM);
    EXPECT_EQ(errno_of(SYS_mknod, {fresh_name, mode | S_IFIFO}), EPERM);
#endif
  }
  EXPECT_EQ(errno_of(SYS_mknodat, {here, fresh_name, S_IFCHR | 0600, 0x103}), EPERM);
  EXPECT_FALSE(std::filesystem::exists(fresh));
  // The mode of an open that creates nothing is not looked at.
  EXPECT_EQ(errno_of(SYS_openat, {here, name, O_RDONLY, S_ISUID | 0755}), 0);
  EXPECT_EQ(errno_of(SYS_fchmodat, {here, name, 0700}), 0);
  EXPECT_EQ(errno_of(SYS_mkdirat, {here, fresh_name, 01777}), 0);
}

TEST(SeccompPolicy, ForeignArchitecturesAreKilled) {
#ifdef __x86_64__
  EXPECT_EQ(under(filter(), [] { return static_cast<int>(syscall(0x40000000 | SYS_getpid)) & 1; }),
            128 + SIGSYS);
  EXPECT_EQ(under(filter(),
                  [] {
                    long result = 20;  // getpid of the 32-bit table
                    asm volatile("int $0x80" : "+a"(result)::"memory", "r8", "r9", "r10", "r11");
                    return 1;
                  }),
            128 + SIGSYS);
#else
  GTEST_SKIP() << "x32 and int 0x80 exist on x86-64 only";
#endif
}

TEST(SeccompPolicy, MemfdAndSysvMemoryFollowTheOptions) {
  const unsigned long name = pointer("x");
  EXPECT_EQ(errno_of({}, SYS_memfd_create, {name, 0}), 0);
  EXPECT_EQ(errno_of({.deny_memfd = true}, SYS_memfd_create, {name, 0}), EPERM);
  EXPECT_EQ(errno_of({.deny_sysv_memory = true}, SYS_shmget, {0, 4096, 01600}), EPERM);
  EXPECT_EQ(errno_of({.deny_sysv_memory = true}, SYS_msgget, {0, 01600}), EPERM);
  // Allowed: the kernel looks for a key that does not exist.
  EXPECT_EQ(errno_of({}, SYS_shmget, {0x636d6370, 4096, 0600}), ENOENT);
}

TEST(SeccompPolicy, SocketBuffersFollowTheOption) {
  constexpr unsigned long kOptions[] = {SO_SNDBUF, SO_RCVBUF, SO_SNDBUFFORCE, SO_RCVBUFFORCE};
  for (const unsigned long option : kOptions) {
    EXPECT_EQ(
        errno_of({.deny_socket_buffers = true}, SYS_setsockopt, {~0UL, SOL_SOCKET, option, 0, 0}),
        EPERM);
    // Allowed: the kernel looks at the descriptor.
    EXPECT_EQ(errno_of({}, SYS_setsockopt, {~0UL, SOL_SOCKET, option, 0, 0}), EBADF);
  }
  EXPECT_EQ(errno_of({.deny_socket_buffers = true}, SYS_setsockopt,
                     {~0UL, SOL_SOCKET, SO_KEEPALIVE, 0, 0}),
            EBADF);
}

TEST(SeccompPolicy, WhatInitAndTheProbeNeedIsAllowed) {
  EXPECT_EQ(under(filter(), [] { return prctl(PR_GET_SECCOMP); }), 2);
  EXPECT_EQ(under(filter(), [] { return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0); }), 1);
  EXPECT_GE(under(filter(), [] { return prctl(PR_CAPBSET_READ, 0, 0, 0, 0); }), 0);
  EXPECT_THAT(errno_of(444 /* landlock_create_ruleset */, {0, 0, 1}),
              testing::AnyOf(0, ENOSYS, EOPNOTSUPP));
  EXPECT_EQ(errno_of(SYS_personality, {0xffffffff}), 0);
  EXPECT_EQ(errno_of(SYS_personality, {0}), 0);
}

// Programs that people run, under the strictest filter: each prints a word at its end.
struct Program {
  const char* name;
  const char* needs;
  const char* script;
};
void PrintTo(const Program& program, std::ostream* out) {
  *out << program.name;
}

class ProgramsUnderFilter : public testing::TestWithParam<Program> {};

TEST_P(ProgramsUnderFilter, Works) {
  const Program& program = GetParam();
  if (access(program.needs, X_OK) != 0) GTEST_SKIP() << program.needs << " is not installed";
  TempDir dir;
  const std::string out = dir / "out";
  const int status = under(filter({.deny_memfd = true, .deny_sysv_memory = true}), [&] {
    if (chdir(dir.path().c_str()) != 0) return 201;
    const int fd = open(out.c_str(), O_CREAT | O_WRONLY, 0600);
    dup2(fd, 1);
    dup2(fd, 2);
    const std::string home = "HOME=" + dir.path();
    const char* const argv[] = {"bash", "-ec", program.script, nullptr};
    const char* const envp[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", home.c_str(),
                                nullptr};
    execve("/bin/bash", const_cast<char* const*>(argv), const_cast<char* const*>(envp));
    return 202;
  });
  std::stringstream text;
  text << std::ifstream(out).rdbuf();
  EXPECT_EQ(status, 0) << text.str();
  EXPECT_THAT(text.str(), HasSubstr("worked"));
}

INSTANTIATE_TEST_SUITE_P(
    All, ProgramsUnderFilter,
    testing::Values(
        Program{"python", "/usr/bin/python3",
                "python3 -c 'import asyncio, subprocess, threading, multiprocessing, tempfile, "
                "socket, ssl, sqlite3, os\n"
                "async def main():\n"
                "  p = await asyncio.create_subprocess_exec(\"echo\", \"hi\", stdout=-1)\n"
                "  assert (await p.communicate())[0] == b\"hi\\n\"\n"
                "asyncio.run(main())\n"
                "t = threading.Thread(target=lambda: None); t.start(); t.join()\n"
                "with multiprocessing.Pool(2) as pool: assert pool.map(abs, [-1, 2]) == [1, 2]\n"
                "s = socket.socket(); s.bind((\"127.0.0.1\", 0)); s.close()\n"
                "c = sqlite3.connect(\"db\"); c.execute(\"create table t(x)\"); c.commit()\n"
                "print(\"worked\")'"},
        Program{"gcc", "/usr/bin/gcc",
                "printf '#include <stdio.h>\\nint main(void){puts(\"worked\");}\\n' > a.c; gcc -O1 "
                "a.c -o a; ./a"},
        Program{"git", "/usr/bin/git",
                "git init -q r; cd r; git config user.email a@b; git config user.name a; echo x > "
                "f; git add f; "
                "git commit -qm x; git gc -q; git status --short; git log --oneline | grep -q x; "
                "echo worked"},
        Program{"node", "/usr/bin/node",
                "node -e 'require(\"child_process\").execSync(\"true\"); "
                "require(\"fs\").promises.writeFile(\"x\", \"y\").then(() => "
                "console.log(\"worked\"))'"},
        Program{"tar", "/usr/bin/tar",
                "mkdir d; echo x > d/f; ln -s f d/l; tar czf d.tgz d; rm -r d; tar xzf d.tgz; cat "
                "d/l; echo worked"},
        Program{"file", "/usr/bin/file", "file /bin/bash | grep -q ELF; echo worked"},
        Program{"coreutils", "/usr/bin/timeout",
                "timeout 20 sleep 0.01; cp -a /etc/hostname h; ls -la > /dev/null; seq 100000 | "
                "sort -rn | head -1; "
                "mkfifo p; (echo a > p &); cat p; nice true; nproc; df . > /dev/null; touch x; "
                "chmod 755 x; echo worked"}),
    [](const auto& row) { return row.param.name; });

TEST(SeccompPolicy, DumpNamesEveryAnswer) {
  const std::string open = dump_seccomp({});
  EXPECT_THAT(open, HasSubstr("memfd_create               allow"));
  EXPECT_THAT(open, HasSubstr("keyctl                     EPERM"));
  EXPECT_THAT(open, HasSubstr("clone3                     ENOSYS"));
  EXPECT_THAT(open, HasSubstr("EAFNOSUPPORT"));
  EXPECT_THAT(dump_seccomp({.deny_memfd = true}), HasSubstr("memfd_create               EPERM"));
}

TEST(SeccompPolicy, FilterIsFarBelowTheKernelsLimit) {
  EXPECT_LT(filter().size(), 2000U);
}

}  // namespace
}  // namespace cmcp::sandbox
