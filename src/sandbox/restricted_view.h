// The view of COMMAND_RESTRICTED=true: one bind per listed executable, bash, the loader and the
// exact shared libraries; everything that can be written is noexec, and Landlock grants execution
// to the listed files and the loader alone.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "sandbox/root_view.h"

namespace cmcp::sandbox {

struct RestrictedOptions {
  ViewOptions view;
  std::vector<std::string> commands;  // names, as in BASH_ALLOWED_COMMANDS
  // Where a command is looked for, in order.
  std::vector<std::string> search_path = {"/usr/local/bin",  "/usr/bin",  "/bin",
                                          "/usr/local/sbin", "/usr/sbin", "/sbin"};
};

struct RestrictedView {
  View view;
  std::vector<std::string> executables;  // every path that may be executed, the loader included
  std::vector<std::string> listed;       // commands that the view has
  std::vector<std::string>
      missing;  // commands that the host has not (shell builtins are not counted)
};

// kInvalidArgument for a name with a slash or nothing in it; kUnsupported for a multi-call program
// (busybox, toybox, one binary for all of coreutils): a list cannot be enforced on it. The message
// says what to do.
Result<RestrictedView> restricted_view(const RestrictedOptions& options);

}  // namespace cmcp::sandbox
