// Which host uids payloads run as, and how files are mapped to them. Nothing is ever chowned.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace cmcp::sandbox {

// Where slot uids start when /etc/subuid has no line for container-mcp.
inline constexpr std::uint32_t kFirstSlotUid = 1879048192;
// The uid and gid of a payload as it sees itself.
inline constexpr std::uint32_t kInnerUid = 1000;

// The first of `count` uids for slots: the start of the line of `user` in `subuid` (the content of
// /etc/subuid) when it is long enough, else the first free place from kFirstSlotUid on that no
// other line holds. kLimitExceeded when there is none.
Result<std::uint32_t> choose_slot_uids(std::string_view subuid, std::string_view user,
                                       std::uint32_t count);

struct Owner {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  bool operator==(const Owner&) const = default;
};

// A user namespace that, given to mount_setattr(MOUNT_ATTR_IDMAP), shows files of `on_disk` as
// files of `shown`. `proc`: a descriptor of a procfs that shows the caller's children. Needs root.
Result<Fd> idmap_namespace(int proc, Owner on_disk, Owner shown);

// Writes the id maps of process `pid`: `inner` in it is `outer` here. Needs root in the caller's
// user namespace.
Status write_id_maps(int proc, pid_t pid, Owner inner, Owner outer);
// Writes the calling process's own maps, for a process without privilege in the parent namespace:
// setgroups is denied. `outer` must be its own ids there. `proc`: a descriptor of a procfs that
// shows the calling process.
Status write_own_id_maps(int proc, Owner inner, Owner outer);

}  // namespace cmcp::sandbox
