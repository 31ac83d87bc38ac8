// The parts that the system view and the restricted view share. Used by root_view and
// restricted_view only.
#pragma once

#include <vector>

#include "base/result.h"
#include "sandbox/plan_builder.h"
#include "sandbox/root_view.h"

namespace cmcp::sandbox {

// A synthetic /etc: one user, no host names, and the loader's configuration.
Status add_etc(PlanBuilder& plan);
// /bin -> usr/bin and its like, on a merged system.
void add_system_links(PlanBuilder& plan);
// The data directory at /data, noexec.
Status add_data(PlanBuilder& plan, const ViewOptions& options);
// /workspace, /proc, /tmp, /dev/shm, and the Landlock rules for them, the devices and reading
// everything.
void add_writable(PlanBuilder& plan, std::vector<LandlockRule>& landlock, Bytes size, bool exec);

}  // namespace cmcp::sandbox
