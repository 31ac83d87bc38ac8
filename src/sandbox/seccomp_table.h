// The system calls of seccomp_policy as data: names, answers, reasons. No logic.
#pragma once

#include <cstdint>
#include <span>

namespace cmcp::sandbox {

// A call that libseccomp may be too old to know carries its number, which is the same on every
// architecture since 424.
struct SyscallRow {
  const char* name;
  const char* reason;
  int number = -1;  // -1: resolved by name
};

// Compared with one argument of a call: (argument & mask) == value.
struct ArgumentRow {
  const char* name;
  unsigned argument;
  std::uint64_t mask;
  std::uint64_t value;
  const char* reason;
  int number = -1;
};

// The same with two conditions that must both hold.
struct TwoArgumentsRow {
  const char* name;
  ArgumentRow first;
  ArgumentRow second;
};

// Stage 1: EPERM when the argument matches.
std::span<const ArgumentRow> refused_arguments();
std::span<const TwoArgumentsRow> refused_argument_pairs();
// Stage 1, with SeccompOptions::deny_socket_buffers.
std::span<const TwoArgumentsRow> socket_buffer_pairs();
// Stage 2: allowed whatever the arguments are.
std::span<const SyscallRow> allowed_calls();
// Stage 2: allowed when the argument matches; the call is in stage 3 too when its refusal has a
// name of its own.
std::span<const ArgumentRow> allowed_arguments();
// Stage 2, left out by SeccompOptions::deny_memfd and deny_sysv_memory.
std::span<const SyscallRow> memfd_calls();
std::span<const SyscallRow> sysv_memory_calls();
// Stage 2 without SeccompOptions::deny_sockets: sockets that have a name or look for one.
std::span<const SyscallRow> socket_calls();
std::span<const ArgumentRow> socket_families();
std::span<const TwoArgumentsRow> socket_family_pairs();
// Stage 2 with it.
std::span<const TwoArgumentsRow> connected_pairs();
// Stage 3: EPERM, because a program that tries them should be told "forbidden", not "old kernel".
std::span<const SyscallRow> forbidden_calls();
// Stage 3: ENOSYS like every unknown call; listed because programs have a fallback that we rely on.
std::span<const SyscallRow> unsupported_calls();

}  // namespace cmcp::sandbox
