// Identity, capabilities, securebits, resource limits of the calling process.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "base/result.h"

namespace cmcp::os {

// setresgid and setresuid to one pair. `groups` is emptied first when `drop_groups`.
enum class Groups { kKeep, kDrop };
Status become(uid_t uid, gid_t gid, Groups groups);
// The groups of the calling process besides its effective one, as its user namespace calls them.
Result<std::vector<gid_t>> other_groups();
// Whether the effective set of the calling process holds `capability` (CAP_*).
bool has_capability(int capability);
// Effective, permitted and inheritable := the bits.
Status set_capabilities(std::uint64_t effective, std::uint64_t permitted,
                        std::uint64_t inheritable);
// Makes everything that is permitted effective.
Status raise_permitted();
// Empties the bounding set: must come before the ids change or the capabilities go (EPERM after).
Status drop_bounding_set();
Status clear_ambient();
// NOROOT, NO_SETUID_FIXUP, NO_CAP_AMBIENT_RAISE, all locked: uid 0 means nothing from here on.
// KEEP_CAPS is locked off.
Status lock_securebits();
Status keep_capabilities_over_setuid();
Status no_new_privileges();
// The signal that this process gets when its parent thread ends.
Status set_parent_death_signal(int signal);
Status set_not_dumpable();
Status set_limit(int resource, rlim_t soft, rlim_t hard);

}  // namespace cmcp::os
