#include "sandbox/seccomp_policy.h"

#include <errno.h>
#include <fmt/format.h>
#include <seccomp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <span>

#include "base/fd.h"
#include "sandbox/seccomp_compact.h"
#include "sandbox/seccomp_table.h"

namespace cmcp::sandbox {
namespace {

using Program = std::vector<sock_filter>;

// A value that no rule uses: marks "not decided here" in stage 2, and is replaced by a jump when
// the stages are joined.
constexpr std::uint32_t kUndecided = SCMP_ACT_TRACE(0x636d);

// libseccomp's own macros for this are compound literals, which C++ does not have.
scmp_arg_cmp equals(unsigned argument, std::uint64_t value) {
  return {argument, SCMP_CMP_EQ, value, 0};
}

class Stage {
 public:
  // The answer of a call that no rule of this stage names.
  static Result<Stage> make(std::uint32_t otherwise, std::uint32_t architecture) {
    Stage stage(seccomp_init(otherwise));
    if (!stage.context_) return Error(ErrorCode::kInternal, "libseccomp cannot create a filter.");
    CMCP_CHECK_OK(stage.compile_for(architecture));
    CMCP_CHECK_OK(stage.set(SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS, "bad architecture"));
    // The program is a binary tree instead of a list: a quarter of the time to load, less per call.
    CMCP_CHECK_OK(stage.set(SCMP_FLTATR_CTL_OPTIMIZE, 2, "optimisation"));
    return stage;
  }

  Status add(std::uint32_t action, const char* name, int number,
             std::span<const scmp_arg_cmp> conditions) {
    const int call = number >= 0 ? number : seccomp_syscall_resolve_name(name);
    if (call < 0) return {};  // this architecture has no such call: it cannot be made
    const int rc = seccomp_rule_add_array(
        context_.get(), action, call, static_cast<unsigned>(conditions.size()), conditions.data());
    if (rc == 0) return {};
    // libseccomp translates by name, and this call is newer than its names.
    if (foreign_ && number >= 0 && rc == -EFAULT) return {};
    return Error(ErrorCode::kInternal, fmt::format("seccomp: the rule for {} is refused.", name),
                 -rc);
  }
  Status add(std::uint32_t action, const SyscallRow& row) {
    return add(action, row.name, row.number, {});
  }
  Status add(std::uint32_t action, const ArgumentRow& row) {
    const scmp_arg_cmp condition = compare(row);
    return add(action, row.name, row.number, {&condition, 1});
  }
  Status add(std::uint32_t action, const TwoArgumentsRow& row) {
    const scmp_arg_cmp conditions[] = {compare(row.first), compare(row.second)};
    return add(action, row.name, -1, conditions);
  }

  Result<Program> compile() const {
    Fd file(memfd_create("filter", MFD_CLOEXEC));
    if (!file) return Error(ErrorCode::kIo, "memfd_create failed for the seccomp filter.", errno);
    if (const int rc = seccomp_export_bpf(context_.get(), file.get()); rc != 0) {
      return Error(ErrorCode::kInternal, "libseccomp cannot compile the filter.", -rc);
    }
    const off_t size = lseek(file.get(), 0, SEEK_END);
    if (size <= 0 || size % static_cast<off_t>(sizeof(sock_filter)) != 0) {
      return Error(ErrorCode::kInternal, "libseccomp gave an incomplete filter.");
    }
    Program program(static_cast<std::size_t>(size) / sizeof(sock_filter));
    if (pread(file.get(), program.data(), static_cast<std::size_t>(size), 0) != size) {
      return Error(ErrorCode::kIo, "The seccomp filter cannot be read back.", errno);
    }
    return program;
  }

 private:
  struct Release {
    void operator()(void* context) const { seccomp_release(context); }
  };
  explicit Stage(scmp_filter_ctx context) : context_(context) {}

  // Before the first rule: rules are given by the numbers of this machine and translated.
  Status compile_for(std::uint32_t architecture) {
    const std::uint32_t native = seccomp_arch_native();
    if (architecture == native) return {};
    foreign_ = true;
    int rc = seccomp_arch_add(context_.get(), architecture);
    if (rc == 0) rc = seccomp_arch_remove(context_.get(), native);
    if (rc == 0) return {};
    return Error(ErrorCode::kUnsupported,
                 fmt::format("libseccomp cannot compile for architecture {:#x}.", architecture),
                 -rc);
  }

  Status set(scmp_filter_attr attribute, std::uint32_t value, const char* what) {
    const int rc = seccomp_attr_set(context_.get(), attribute, value);
    if (rc == 0) return {};
    return Error(
        ErrorCode::kUnsupported,
        fmt::format("seccomp cannot be used here: libseccomp cannot set \"{}\". This kernel was "
                    "built without it, or an outer filter, such as a container engine's "
                    "seccomp profile, refuses seccomp(2). Allow it there.",
                    what),
        -rc);
  }
  static scmp_arg_cmp compare(const ArgumentRow& row) {
    if (row.mask == ~0ULL) return equals(row.argument, row.value);
    return {row.argument, SCMP_CMP_MASKED_EQ, row.mask, row.value};
  }

  std::unique_ptr<void, Release> context_;
  bool foreign_ = false;
};

Result<Program> refusals_by_argument(const SeccompOptions& options, std::uint32_t architecture) {
  CMCP_TRY(Stage stage, Stage::make(SCMP_ACT_ALLOW, architecture));
  for (const auto& row : refused_arguments()) CMCP_CHECK_OK(stage.add(SCMP_ACT_ERRNO(EPERM), row));
  for (const auto& row : refused_argument_pairs())
    CMCP_CHECK_OK(stage.add(SCMP_ACT_ERRNO(EPERM), row));
  if (options.deny_socket_buffers) {
    for (const auto& row : socket_buffer_pairs())
      CMCP_CHECK_OK(stage.add(SCMP_ACT_ERRNO(EPERM), row));
  }
  return stage.compile();
}

Status allow_sockets(Stage& stage, const SeccompOptions& options) {
  if (options.deny_sockets) {
    for (const auto& row : connected_pairs()) CMCP_CHECK_OK(stage.add(SCMP_ACT_ALLOW, row));
    return {};
  }
  for (const auto& row : socket_calls()) CMCP_CHECK_OK(stage.add(SCMP_ACT_ALLOW, row));
  for (const auto& row : socket_families()) CMCP_CHECK_OK(stage.add(SCMP_ACT_ALLOW, row));
  for (const auto& row : socket_family_pairs()) CMCP_CHECK_OK(stage.add(SCMP_ACT_ALLOW, row));
  return {};
}

Result<Program> allow_list(const SeccompOptions& options, std::uint32_t architecture) {
  CMCP_TRY(Stage stage, Stage::make(kUndecided, architecture));
  for (const auto& row : allowed_calls()) CMCP_CHECK_OK(stage.add(SCMP_ACT_ALLOW, row));
  for (const auto& row : allowed_arguments()) CMCP_CHECK_OK(stage.add(SCMP_ACT_ALLOW, row));
  if (!options.deny_memfd) {
    for (const auto& row : memfd_calls()) CMCP_CHECK_OK(stage.add(SCMP_ACT_ALLOW, row));
  }
  if (!options.deny_sysv_memory) {
    for (const auto& row : sysv_memory_calls()) CMCP_CHECK_OK(stage.add(SCMP_ACT_ALLOW, row));
  }
  CMCP_CHECK_OK(allow_sockets(stage, options));
  return stage.compile();
}

Result<Program> answers_of_the_rest(const SeccompOptions& options, std::uint32_t architecture) {
  CMCP_TRY(Stage stage, Stage::make(SCMP_ACT_ERRNO(ENOSYS), architecture));
  for (const auto& row : forbidden_calls()) CMCP_CHECK_OK(stage.add(SCMP_ACT_ERRNO(EPERM), row));
  if (options.deny_memfd) {
    for (const auto& row : memfd_calls()) CMCP_CHECK_OK(stage.add(SCMP_ACT_ERRNO(EPERM), row));
  }
  if (options.deny_sysv_memory) {
    for (const auto& row : sysv_memory_calls())
      CMCP_CHECK_OK(stage.add(SCMP_ACT_ERRNO(EPERM), row));
  }
  if (options.deny_sockets) {
    for (const auto& row : socket_calls()) CMCP_CHECK_OK(stage.add(SCMP_ACT_ERRNO(EPERM), row));
  }
  for (const char* name : {"socket", "socketpair"}) {
    CMCP_CHECK_OK(stage.add(SCMP_ACT_ERRNO(EAFNOSUPPORT), name, -1, {}));
  }
  // What a file system without preallocation says: programs then write instead, which takes its
  // time and is counted while it happens.
  CMCP_CHECK_OK(stage.add(SCMP_ACT_ERRNO(EOPNOTSUPP), "fallocate", -1, {}));
  return stage.compile();
}

// Appends `next` to `program`: where `program` answers `action`, `next` decides instead.
void join_stage(Program& program, std::uint32_t action, const Program& next) {
  const std::size_t end = program.size();
  for (std::size_t i = 0; i < end; ++i) {
    sock_filter& instruction = program[i];
    if (instruction.code != (BPF_RET | BPF_K) || instruction.k != action) continue;
    instruction = BPF_STMT(BPF_JMP | BPF_JA, static_cast<std::uint32_t>(end - i - 1));
  }
  program.insert(program.end(), next.begin(), next.end());
}

}  // namespace

Result<std::vector<sock_filter>> compile_stages(const SeccompOptions& options,
                                                std::uint32_t architecture) {
  if (architecture == 0) architecture = seccomp_arch_native();
  CMCP_TRY(Program first, refusals_by_argument(options, architecture));
  CMCP_TRY(Program second, allow_list(options, architecture));
  CMCP_TRY(const Program third, answers_of_the_rest(options, architecture));
  join_stage(second, kUndecided, third);
  join_stage(first, SCMP_ACT_ALLOW, second);
  return first;
}

Result<std::vector<sock_filter>> compile_seccomp(const SeccompOptions& options) {
  CMCP_TRY(const Program stages, compile_stages(options));
  CMCP_TRY(Program program, compact_filter(stages));
  if (program.size() > BPF_MAXINSNS) {
    return Error(ErrorCode::kInternal,
                 fmt::format("The seccomp filter has {} instructions, more than the kernel "
                             "takes ({}).",
                             program.size(), BPF_MAXINSNS));
  }
  return program;
}

}  // namespace cmcp::sandbox
