// The launcher's forked child with the backend bwrap: puts the trees where bubblewrap can bind
// them, gives up its privilege, and becomes bubblewrap, which builds the sandbox and executes
// cmcp-stage as its process 1.
#pragma once

#include "base/result.h"
#include "sandbox/helper/sandbox_child.h"

namespace cmcp::sandbox {

// Where the child attaches what bubblewrap binds.
inline constexpr const char* kBwrapSources = "/b";

// Brings what bubblewrap itself needs into the launcher's root (the current one): the host's /usr
// and what its loader reads, read-only, from `host` (O_PATH). Once, before the first run.
Status bring_bwrap(int host);

// Never returns. Call in a child that is alone in a mount namespace of its own, with the
// launcher's privilege. A failing step is reported as by become_sandbox().
[[noreturn]] void become_bwrap(const SandboxPlan& plan);

}  // namespace cmcp::sandbox
