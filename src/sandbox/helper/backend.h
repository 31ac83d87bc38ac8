// Backend: who builds the sandbox of a run.
#pragma once

#include <cstdint>

namespace cmcp::sandbox {

enum class Backend : std::uint8_t {
  kNative,    // the launcher
  kBwrap,     // bubblewrap, from trees that the launcher prepared; limits, Landlock, seccomp by us
  kFirejail,  // the launcher, and Firejail around it
  kNone,      // nobody: the programs run as processes of the host
};
inline constexpr Backend kBackends[] = {Backend::kNative, Backend::kBwrap, Backend::kFirejail,
                                        Backend::kNone};
// "native", "bwrap", "firejail+native", "none": the words of SANDBOX_BACKEND.
const char* name_of(Backend backend);

}  // namespace cmcp::sandbox
