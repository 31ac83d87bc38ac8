// The policy compiled for each architecture that the product is built for, and asked call by call:
// also for the machine that this one is not.
#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/netlink.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <string>

#include "sandbox/bpf_machine.h"
#include "sandbox/seccomp_policy.h"
#include "sandbox/seccomp_table.h"

namespace cmcp::sandbox {
namespace {

constexpr std::uint32_t kAllow = SECCOMP_RET_ALLOW;
constexpr std::uint32_t kKill = SECCOMP_RET_KILL_PROCESS;
constexpr std::uint32_t refuse(int error) {
  return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error);
}

struct Machine {
  const char* name;
  std::uint32_t architecture;
  std::uint32_t foreign;
};
constexpr Machine kMachines[] = {{"x86_64", AUDIT_ARCH_X86_64, AUDIT_ARCH_I386},
                                 {"aarch64", AUDIT_ARCH_AARCH64, AUDIT_ARCH_ARM}};
void PrintTo(const Machine& machine, std::ostream* out) {
  *out << machine.name;
}

class SeccompOn : public testing::TestWithParam<Machine> {
 protected:
  // As libseccomp numbers the call there; below 0 when the machine has none.
  static int number(const char* name) {
    return seccomp_syscall_resolve_name_arch(GetParam().architecture, name);
  }
  static std::vector<sock_filter> program(const SeccompOptions& options = {}) {
    auto compiled = compile_stages(options, GetParam().architecture);
    EXPECT_TRUE(compiled.ok()) << (compiled.ok() ? "" : compiled.error().message());
    return compiled.ok() ? *compiled : std::vector<sock_filter>{};
  }
  static std::uint32_t ask(const std::vector<sock_filter>& program, int number,
                           std::array<std::uint64_t, 6> arguments = {}) {
    seccomp_data call{};
    call.nr = number;
    call.arch = GetParam().architecture;
    for (std::size_t i = 0; i < arguments.size(); ++i) call.args[i] = arguments[i];
    return answer(program, call);
  }
};

INSTANTIATE_TEST_SUITE_P(All, SeccompOn, testing::ValuesIn(kMachines),
                         [](const auto& machine) { return std::string(machine.param.name); });

struct Row {
  const char* call;
  std::array<std::uint64_t, 6> arguments;
  std::uint32_t answer;
};

TEST_P(SeccompOn, AnswersByCallAndArguments) {
  constexpr std::uint64_t kHigh = 1ULL << 32;
  const Row rows[] = {
      {"read", {}, kAllow},
      {"execve", {}, kAllow},
      {"openat", {0, 0, O_RDONLY, S_ISUID}, kAllow},
      {"openat", {0, 0, O_CREAT, 0644}, kAllow},
      {"openat", {0, 0, O_CREAT, S_ISUID | 0755}, refuse(EPERM)},
      {"openat", {0, 0, O_TMPFILE, S_ISGID | 0755}, refuse(EPERM)},
      {"fchmod", {0, S_ISUID}, refuse(EPERM)},
      {"fchmodat", {0, 0, S_ISGID | 0755}, refuse(EPERM)},
      {"mkdirat", {0, 0, 01777}, kAllow},
      {"mkdirat", {0, 0, S_ISGID | 0777}, refuse(EPERM)},
      {"mknodat", {0, 0, S_IFIFO | 0600}, kAllow},
      {"mknodat", {0, 0, S_IFCHR | 0600}, refuse(EPERM)},
      {"mknodat", {0, 0, S_IFBLK | 0600}, refuse(EPERM)},
      {"clone", {SIGCHLD}, kAllow},
      {"clone", {CLONE_VM | CLONE_THREAD | CLONE_SIGHAND}, kAllow},
      {"clone", {CLONE_NEWUSER | SIGCHLD}, refuse(EPERM)},
      {"clone", {CLONE_NEWNET | kHigh}, refuse(EPERM)},
      {"clone3", {}, refuse(ENOSYS)},
      {"unshare", {CLONE_NEWUSER}, refuse(EPERM)},
      {"setns", {}, refuse(EPERM)},
      {"socket", {AF_UNIX, SOCK_STREAM}, kAllow},
      {"socket", {AF_INET, SOCK_STREAM}, kAllow},
      {"socket", {AF_NETLINK, SOCK_RAW, NETLINK_ROUTE}, kAllow},
      {"socket", {AF_NETLINK, SOCK_RAW, 12}, refuse(EAFNOSUPPORT)},
      {"socket", {AF_ALG, SOCK_SEQPACKET}, refuse(EAFNOSUPPORT)},
      {"socket", {AF_VSOCK, SOCK_STREAM}, refuse(EAFNOSUPPORT)},
      {"socket", {AF_UNIX | kHigh, SOCK_STREAM}, refuse(EAFNOSUPPORT)},
      {"socketpair", {AF_UNIX, SOCK_DGRAM}, kAllow},
      {"socketpair", {AF_TIPC, SOCK_DGRAM}, refuse(EAFNOSUPPORT)},
      {"fallocate", {3, 3 /* punch a hole */}, SECCOMP_RET_ALLOW},
      {"fallocate", {3, 0}, refuse(EOPNOTSUPP)},
      {"fallocate", {3, 1 /* keep the size */}, refuse(EOPNOTSUPP)},
      {"fallocate", {3, 1 | kHigh}, refuse(EOPNOTSUPP)},
      {"fallocate", {3, 0x11 /* zero a range, keep the size */}, refuse(EOPNOTSUPP)},
      {"ioctl", {3, 0x40305828 /* FS_IOC_RESVSP */}, refuse(EPERM)},
      {"ioctl", {3, 0x4030582A | kHigh}, refuse(EPERM)},
      {"ioctl", {3, 0x40305839 /* FS_IOC_ZERO_RANGE */}, refuse(EPERM)},
      {"ioctl", {0, 0x5413}, kAllow},
      {"ioctl", {0, 0x5412}, refuse(EPERM)},
      {"ioctl", {0, 0x5412 | kHigh}, refuse(EPERM)},
      {"ioctl", {0, 0x541C}, refuse(EPERM)},
      {"ioctl", {0, 0x5423}, refuse(EPERM)},
      {"prctl", {PR_SET_NAME}, kAllow},
      {"prctl", {PR_SET_NAME | kHigh}, kAllow},
      {"prctl", {PR_SET_MM}, refuse(EPERM)},
      {"prctl", {PR_SET_SECUREBITS}, refuse(EPERM)},
      {"personality", {0xffffffff}, kAllow},
      {"personality", {0x0400000}, refuse(EPERM)},
      {"seccomp", {SECCOMP_SET_MODE_FILTER, 0}, kAllow},
      {"seccomp", {SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER}, refuse(EPERM)},
      {"memfd_create", {}, kAllow},
      {"shmget", {}, kAllow},
      {"mount", {}, refuse(EPERM)},
      {"ptrace", {}, refuse(EPERM)},
      {"bpf", {}, refuse(EPERM)},
      {"keyctl", {}, refuse(EPERM)},
      {"io_uring_setup", {}, refuse(EPERM)},
      {"userfaultfd", {}, refuse(EPERM)},
      {"openat2", {}, refuse(ENOSYS)},
      {"mq_open", {}, refuse(ENOSYS)},
  };
  const auto filter = program();
  for (const Row& row : rows) {
    const int call = number(row.call);
    ASSERT_GE(call, 0) << row.call;
    EXPECT_EQ(ask(filter, call, row.arguments), row.answer)
        << row.call << " " << row.arguments[0] << " " << row.arguments[1] << " "
        << row.arguments[2];
  }
}

TEST_P(SeccompOn, OptionsTakeAway) {
  const auto filter = program({.deny_memfd = true,
                               .deny_sysv_memory = true,
                               .deny_socket_buffers = true,
                               .deny_sockets = true});
  EXPECT_EQ(ask(filter, number("memfd_create")), refuse(EPERM));
  EXPECT_EQ(ask(filter, number("shmget")), refuse(EPERM));
  EXPECT_EQ(ask(filter, number("setsockopt"), {0, SOL_SOCKET, SO_SNDBUF}), refuse(EPERM));
  EXPECT_EQ(ask(filter, number("setsockopt"), {0, SOL_SOCKET, SO_KEEPALIVE}), kAllow);
  EXPECT_EQ(ask(filter, number("socket"), {AF_UNIX, SOCK_STREAM}), refuse(EAFNOSUPPORT));
  EXPECT_EQ(ask(filter, number("connect")), refuse(EPERM));
  EXPECT_EQ(ask(filter, number("socketpair"), {AF_UNIX, SOCK_STREAM}), kAllow);
  EXPECT_EQ(ask(filter, number("socketpair"), {AF_UNIX, SOCK_DGRAM}), refuse(EAFNOSUPPORT));
}

TEST_P(SeccompOn, ForeignCallsKillAndUnknownOnesAreNotThere) {
  const auto filter = program();
  for (int call = 0; call < 600; ++call) {
    seccomp_data foreign{};
    foreign.nr = call;
    foreign.arch = GetParam().foreign;
    ASSERT_EQ(answer(filter, foreign), kKill) << call;
  }
  for (int call = 472; call < 1200; ++call) ASSERT_EQ(ask(filter, call), refuse(ENOSYS)) << call;
  // x32: the numbers of x86_64 with a bit of their own.
  if (GetParam().architecture == AUDIT_ARCH_X86_64) {
    EXPECT_EQ(ask(filter, 0x40000000 | number("getpid")), kKill);
  }
}

// A call is named once for each answer, so that reading one line is knowing it; a call that is both
// allowed and refused is allowed by argument, which the line says.
TEST(SeccompTable, NoCallIsListedTwice) {
  for (const auto table : {allowed_calls(), forbidden_calls(), unsupported_calls()}) {
    for (std::size_t i = 0; i < table.size(); ++i) {
      for (std::size_t k = i + 1; k < table.size(); ++k) EXPECT_STRNE(table[i].name, table[k].name);
    }
  }
  for (const auto& allowed : allowed_calls()) {
    for (const auto& other : forbidden_calls()) EXPECT_STRNE(allowed.name, other.name);
    for (const auto& other : unsupported_calls()) EXPECT_STRNE(allowed.name, other.name);
  }
}

// Every call from 424 to 469, the newest of kernel 6.18, has an answer that somebody decided.
TEST(SeccompTable, EveryNewCallHasADeliberateAnswer) {
  std::array<int, 470> named{};
  const auto note = [&named](const char* name, int number) {
    const int call = number >= 0 ? number : seccomp_syscall_resolve_name(name);
    if (call >= 0 && static_cast<std::size_t>(call) < named.size())
      ++named[static_cast<std::size_t>(call)];
  };
  for (const auto table : {allowed_calls(), forbidden_calls(), unsupported_calls()}) {
    for (const auto& row : table) note(row.name, row.number);
  }
  for (std::size_t call = 424; call < named.size(); ++call) EXPECT_EQ(named[call], 1) << call;
}

TEST(SeccompTable, EveryRowHasAReason) {
  for (const auto& line : list_seccomp({})) EXPECT_GE(line.reason.size(), 2u) << line.call;
}

}  // namespace
}  // namespace cmcp::sandbox
