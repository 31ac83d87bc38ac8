// The seccomp filter of a payload, as data: which system calls it may make, and what every other
// one answers.
//
//   CMCP_TRY(auto filter, compile_seccomp({.deny_memfd = true}));
//   profile.seccomp = std::move(filter);
//
// Three stages, tried in this order, each compiled by libseccomp and joined into one program:
//   1. refusals that depend on an argument (set-id bits, TIOCSTI, PR_SET_MM, …),
//   2. the allow-list, one line per call with the code path that needs it,
//   3. what the rest answers: EPERM for known-dangerous calls, EAFNOSUPPORT for other socket
//   families, ENOSYS for
//      everything else, known to us or not.
// A call of another architecture (32-bit, x32) kills the process in every stage.
#pragma once

#include <linux/filter.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace cmcp::sandbox {

struct SeccompOptions {
  // memfd_create answers EPERM: a descriptor of executable memory would get around noexec
  // (restricted commands), and an unmapped one is in nobody's resident memory (no cgroup limits
  // memory).
  bool deny_memfd = false;
  // SysV shared memory and message queues answer EPERM: detached segments are in nobody's resident
  // memory.
  bool deny_sysv_memory = false;
  // Larger socket buffers answer EPERM: what waits in a socket is in nobody's resident memory.
  bool deny_socket_buffers = false;
  // Without a network namespace of its own a payload could reach the host's network and its
  // abstract sockets: socket() answers EAFNOSUPPORT for every family, and socketpair gives what is
  // connected already and cannot send elsewhere.
  bool deny_sockets = false;
};

// The three stages as libseccomp compiles them, one behind the other. What is loaded is
// compile_seccomp's; this is what it is measured against.
// For another machine's `architecture` (AUDIT_ARCH_…; 0: this one's) calls that libseccomp has no
// name for are left out.
Result<std::vector<sock_filter>> compile_stages(const SeccompOptions& options,
                                                std::uint32_t architecture = 0);

// The filter, ready for seccomp(SECCOMP_SET_MODE_FILTER), in as few instructions as it takes.
// kInternal when libseccomp refuses a rule.
Result<std::vector<sock_filter>> compile_seccomp(const SeccompOptions& options);

// One line of the policy: what a call answers, when, and why.
struct SeccompLine {
  int stage = 0;  // 1 to 3
  std::string call;
  std::string answer;  // "allow", "EPERM", "ENOSYS", "EAFNOSUPPORT"
  std::string when;    // "argument 1 & 0xffffffff == 0x5412"; "" whatever the arguments are
  std::string reason;
};
std::vector<SeccompLine> list_seccomp(const SeccompOptions& options);

// The policy as text for `doctor --seccomp`: one line per call, with its answer and its reason.
std::string dump_seccomp(const SeccompOptions& options);

}  // namespace cmcp::sandbox
