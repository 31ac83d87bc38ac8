// What a sandbox sees of the host: RootPlans and Landlock rules. The system view has the whole of
// /usr (bash without a list, Python); the restricted view has only the listed commands and what
// they need (COMMAND_RESTRICTED).
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "sandbox/helper/profile.h"

namespace cmcp::sandbox {

struct ViewOptions {
  Bytes tmp_size = Bytes::mebi(64);  // each of /tmp and /dev/shm
  std::vector<HostPath> data;        // at most one: shown read-only at /data
  std::vector<HostPath>
      programs;  // interpreters outside /usr: their installation prefix is shown too
  std::vector<HostPath>
      writable_roots;  // what sandboxes can write: nothing of it may become part of a view
};

struct View {
  RootPlan root;
  std::vector<LandlockRule> landlock;
  std::vector<std::string> warnings;
};

// The read-only system without dist-packages and site-packages, a synthetic /etc, /tmp and
// /dev/shm. kInvalidArgument when a data directory or prefix lies in (or holds) what sandboxes can
// write.
Result<View> system_view(const ViewOptions& options);

// `python`'s installation prefix when it is not below /usr ("/opt/py/bin/python3.12" -> "/opt/py");
// "" otherwise.
std::string prefix_outside_usr(const std::string& program);

}  // namespace cmcp::sandbox
