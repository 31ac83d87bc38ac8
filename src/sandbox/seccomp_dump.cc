// The policy for people and for JSON: the tables in the order in which the filter asks them.
#include <fmt/format.h>

#include <span>

#include "sandbox/seccomp_policy.h"
#include "sandbox/seccomp_table.h"

namespace cmcp::sandbox {
namespace {

class Lines {
 public:
  void calls(int stage, std::span<const SyscallRow> rows, const char* answer) {
    for (const auto& row : rows) add({stage, row.name, answer, "", row.reason});
  }
  void arguments(int stage, std::span<const ArgumentRow> rows, const char* answer) {
    for (const auto& row : rows) add({stage, row.name, answer, condition(row), row.reason});
  }
  void pairs(int stage, std::span<const TwoArgumentsRow> rows, const char* answer) {
    for (const auto& row : rows) {
      add({stage, row.name, answer, condition(row.first) + ", " + condition(row.second),
           row.second.reason});
    }
  }
  void add(SeccompLine line) { lines_.push_back(std::move(line)); }
  std::vector<SeccompLine> take() { return std::move(lines_); }

 private:
  static std::string condition(const ArgumentRow& row) {
    return fmt::format("argument {} & {:#x} == {:#x}", row.argument, row.mask, row.value);
  }
  std::vector<SeccompLine> lines_;
};

}  // namespace

std::vector<SeccompLine> list_seccomp(const SeccompOptions& options) {
  Lines lines;
  lines.arguments(1, refused_arguments(), "EPERM");
  lines.pairs(1, refused_argument_pairs(), "EPERM");
  if (options.deny_socket_buffers) lines.pairs(1, socket_buffer_pairs(), "EPERM");
  lines.calls(2, allowed_calls(), "allow");
  lines.arguments(2, allowed_arguments(), "allow");
  if (options.deny_sockets) {
    lines.pairs(2, connected_pairs(), "allow");
  } else {
    lines.calls(2, socket_calls(), "allow");
    lines.arguments(2, socket_families(), "allow");
    lines.pairs(2, socket_family_pairs(), "allow");
  }
  if (!options.deny_memfd) lines.calls(2, memfd_calls(), "allow");
  if (!options.deny_sysv_memory) lines.calls(2, sysv_memory_calls(), "allow");
  lines.calls(3, forbidden_calls(), "EPERM");
  if (options.deny_sockets) lines.calls(3, socket_calls(), "EPERM");
  if (options.deny_memfd) lines.calls(3, memfd_calls(), "EPERM");
  if (options.deny_sysv_memory) lines.calls(3, sysv_memory_calls(), "EPERM");
  lines.add({3, "socket, socketpair", "EAFNOSUPPORT", "", "every other address family"});
  lines.add({3, "fallocate", "EOPNOTSUPP", "", "reserving space; programs write instead"});
  lines.calls(3, unsupported_calls(), "ENOSYS");
  lines.add(
      {3, "(any other call)", "ENOSYS", "", "unknown to this list, whether or not to the kernel"});
  return lines.take();
}

namespace {

const char* title_of(int stage) {
  if (stage == 1) return "# 1. Refused by argument\n";
  return stage == 2 ? "# 2. Allowed\n" : "# 3. What the rest answers\n";
}

}  // namespace

std::string dump_seccomp(const SeccompOptions& options) {
  std::string text = "# Other architectures (32-bit, x32): the process is killed.\n";
  int stage = 0;
  for (const auto& line : list_seccomp(options)) {
    if (line.stage != stage) text += title_of(line.stage);
    stage = line.stage;
    text += fmt::format("{:<26} {:<14} {}\n", line.call, line.answer,
                        line.when.empty() ? line.reason : line.when + ": " + line.reason);
  }
  return text;
}

}  // namespace cmcp::sandbox
