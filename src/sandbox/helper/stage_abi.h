// What the launcher's child tells cmcp-stage, the first program in a sandbox that bubblewrap built.
// Plain data in a memory file: a StageHeader, then its limits, then its rules.
#pragma once

#include <stdint.h>

namespace cmcp::sandbox {

inline constexpr uint32_t kStageMagic = 0x636d7374;
inline constexpr uint32_t kMaxStageLimits = 16;
inline constexpr uint32_t kMaxStageRules = 1024;
inline constexpr uint32_t kMaxStagePath = 496;

struct StageHeader {
  uint32_t magic;
  uint32_t limits;
  uint32_t rules;
  uint32_t padding;
  uint64_t file_rights;  // Landlock rights that make sense on a file
  uint64_t began;        // when the launcher's child began, ns
};

struct StageLimit {
  uint32_t resource;
  uint32_t padding;
  uint64_t soft;
  uint64_t hard;
};

struct StageRule {
  uint64_t rights;  // Landlock's bits
  char path[kMaxStagePath];
};

}  // namespace cmcp::sandbox
