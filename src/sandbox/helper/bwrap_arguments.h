// The command line that makes bubblewrap build one sandbox. Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sandbox/helper/identity.h"

namespace cmcp::sandbox {

// In the launcher's root: the program that everybody has (Debian's package bubblewrap).
inline constexpr const char* kBwrapProgram = "/usr/bin/bwrap";

struct BwrapView {
  std::string root;  // the template: read-only, with every mount point that is named below
  std::vector<std::pair<std::string, std::string>> binds;  // writable: source, mount point
  std::vector<std::string> covered;                        // files below /proc
  std::vector<std::string> environment;                    // NAME=VALUE: the whole of it
  std::string hostname;
  bool disable_userns = false;  // bubblewrap 0.8.0 and later know it
};

// The options, in order. No option makes a file or directory: each mount point is there already, so
// that nothing is created below what a payload could have prepared (CVE-2026-87766).
std::vector<std::string> bwrap_arguments(const BwrapView& view);
// As --args reads them: each ended by a NUL byte.
std::string nul_separated(const std::vector<std::string>& arguments);

}  // namespace cmcp::sandbox
