#include "sandbox/seccomp_compact.h"

#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/seccomp.h>

#include <initializer_list>
#include <random>
#include <set>

#include "sandbox/bpf_machine.h"
#include "sandbox/seccomp_policy.h"

namespace cmcp::sandbox {
namespace {

using Program = std::vector<sock_filter>;

#if defined(__x86_64__)
constexpr std::uint32_t kNative = AUDIT_ARCH_X86_64;
#else
constexpr std::uint32_t kNative = AUDIT_ARCH_AARCH64;
#endif

Program stages(const SeccompOptions& options) {
  auto program = compile_stages(options);
  EXPECT_TRUE(program.ok());
  return program.ok() ? *program : Program{};
}

std::vector<SeccompOptions> variants() {
  std::vector<SeccompOptions> all;
  for (unsigned bits = 0; bits < 16; ++bits) {
    SeccompOptions options;
    options.deny_memfd = (bits & 1U) != 0;
    options.deny_sysv_memory = (bits & 2U) != 0;
    options.deny_socket_buffers = (bits & 4U) != 0;
    options.deny_sockets = (bits & 8U) != 0;
    all.push_back(options);
  }
  return all;
}

// Values at which an argument's rule may change its mind: every constant with which the program
// compares an argument, its neighbour, and those with further bits set.
std::vector<std::uint64_t> interesting_values(const Program& program) {
  std::set<std::uint64_t> values{0, 1, ~0ULL, 1ULL << 32U};
  bool argument = false;
  for (const auto& step : program) {
    if (step.code == (BPF_LD | BPF_W | BPF_ABS)) argument = step.k >= offsetof(seccomp_data, args);
    if (!argument || step.code == (BPF_LD | BPF_W | BPF_ABS)) continue;
    const std::uint64_t k = step.k;
    for (const std::uint64_t value : std::initializer_list<std::uint64_t>{
             k, k + 1, k | 0xffff0000U, k << 32U, k | (1ULL << 40U)})
      values.insert(value);
  }
  return {values.begin(), values.end()};
}

TEST(SeccompCompact, AnswersEveryCallAsTheStagesDo) {
  for (const SeccompOptions& options : variants()) {
    const Program before = stages(options);
    const auto after = compact_filter(before);
    ASSERT_TRUE(after.ok()) << after.error().message();
    const auto values = interesting_values(before);
    std::vector<std::uint32_t> numbers{0x3fffffff, 0x40000000, 0x40000001,
                                       0x7fffffff, ~0U,        ~0U - 1};
    for (std::uint32_t number = 0; number < 600; ++number) numbers.push_back(number);
    std::mt19937_64 random(1);
    for (const std::uint32_t number : numbers) {
      for (const std::uint64_t value : values) {
        seccomp_data call{};
        call.nr = static_cast<int>(number);
        call.arch = kNative;
        // One argument has the value, the others random ones of the list; then all have it.
        for (const std::uint64_t changed : {random() % 6, std::uint64_t{6}}) {
          for (unsigned i = 0; i < 6; ++i)
            call.args[i] = i == changed || changed == 6 ? value : values[random() % values.size()];
          ASSERT_EQ(answer(before, call), answer(*after, call))
              << "call " << number << " argument " << changed << " value " << value;
        }
      }
    }
  }
}

TEST(SeccompCompact, AnotherArchitectureIsKilledWhateverTheCall) {
  const auto program = compact_filter(stages({}));
  ASSERT_TRUE(program.ok());
  for (const std::uint32_t architecture : {0U, ~0U, std::uint32_t{AUDIT_ARCH_I386}}) {
    for (int number = 0; number < 600; ++number) {
      seccomp_data call{};
      call.nr = number;
      call.arch = architecture;
      EXPECT_EQ(answer(*program, call), SECCOMP_RET_KILL_PROCESS);
    }
  }
}

TEST(SeccompCompact, IsMuchSmaller) {
  for (const SeccompOptions& options : variants()) {
    const Program before = stages(options);
    const auto after = compact_filter(before);
    ASSERT_TRUE(after.ok());
    RecordProperty("instructions_before", static_cast<int>(before.size()));
    RecordProperty("instructions_after", static_cast<int>(after->size()));
    EXPECT_LT(after->size() * 2, before.size()) << before.size() << " " << after->size();
  }
}

TEST(SeccompCompact, BranchesLeadFurtherThanTheirEightBits) {
  // 600 numbers with an answer each: the tree's two halves are further apart than a branch reaches.
  Program program{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (std::uint32_t number = 0; number < 600; ++number) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1));
    program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (number + 1)));
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
  program.insert(program.begin(), {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
                                   BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kNative, 1, 0),
                                   BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)});
  const auto after = compact_filter(program);
  ASSERT_TRUE(after.ok()) << after.error().message();
  for (int number = -1; number < 700; ++number) {
    seccomp_data call{};
    call.nr = number;
    call.arch = kNative;
    ASSERT_EQ(answer(program, call), answer(*after, call)) << number;
  }
}

TEST(SeccompCompact, RefusesAProgramThatItDoesNotUnderstand) {
  const Program arithmetic{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                           BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 7),
                           BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  EXPECT_FALSE(compact_filter(arithmetic).ok());
  const Program endless{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  EXPECT_FALSE(compact_filter(endless).ok());
  EXPECT_FALSE(compact_filter({}).ok());
  // An answer that does not depend on the architecture refuses no other one.
  const Program any{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 16),
                    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 1),
                    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
                    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
  EXPECT_FALSE(compact_filter(any).ok());
}

}  // namespace
}  // namespace cmcp::sandbox
