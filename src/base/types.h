// Strong types for what must not be mixed. Durations are std::chrono types everywhere.
#pragma once

#include <sys/types.h>

#include <compare>
#include <cstdint>
#include <string>

namespace cmcp {

// A number of bytes.
struct Bytes {
  std::uint64_t count = 0;
  static constexpr Bytes mebi(std::uint64_t n) { return {n * 1024 * 1024}; }
  static constexpr Bytes kibi(std::uint64_t n) { return {n * 1024}; }
  auto operator<=>(const Bytes&) const = default;
};

// An absolute path as the host sees it. Never shown to a client.
struct HostPath {
  std::string value;
  auto operator<=>(const HostPath&) const = default;
};

// An absolute path as a sandboxed program sees it ("/workspace/a.txt").
struct SandboxPath {
  std::string value;
  auto operator<=>(const SandboxPath&) const = default;
};

struct Uid {
  uid_t value = 0;
  auto operator<=>(const Uid&) const = default;
};

struct Gid {
  gid_t value = 0;
  auto operator<=>(const Gid&) const = default;
};

}  // namespace cmcp
