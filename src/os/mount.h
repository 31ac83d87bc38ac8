// The mount calls: the new API (open_tree, move_mount, mount_setattr, fsopen) and the few old ones
// that are needed.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace cmcp::os {

// MOUNT_ATTR_* bits as one value; see mount_setattr(2).
struct MountAttributes {
  std::uint64_t set = 0;
  std::uint64_t clear = 0;
  int idmap_userns = -1;  // a user namespace for MOUNT_ATTR_IDMAP, or -1
};

enum class Recursive { kNo, kYes };

// A detached copy of the mount tree at `path` below `dir` ("" = `dir` itself). Only mounts of the
// caller's own mount namespace can be copied (EINVAL otherwise).
Result<Fd> clone_tree(int dir, const std::string& path, Recursive recursive);
// Sets attributes on a (still detached) tree, so that it never exists without them.
Status set_mount_attributes(int tree, const MountAttributes& attributes, Recursive recursive);
// Attaches a detached tree at `target` below `dir`; "" = on what the descriptor `dir` names. A
// symbolic link as the last component of target is not followed.
Status attach_tree(int tree, int dir, const std::string& target);
// A new file system instance as a detached mount. `options` are key=value strings; an empty value
// sets a flag.
Result<Fd> new_filesystem(const std::string& type,
                          const std::vector<std::pair<std::string, std::string>>& options,
                          std::uint64_t mount_attributes);
// mount(2) in its old form.
Status mount_old(const char* source, const std::string& target, const char* type,
                 unsigned long flags, const char* data = nullptr);
Status unmount(const std::string& target, int flags);
// A mount namespace that begins as a copy of the present one, and becomes the calling process's.
Status new_mount_space();
// The mount namespace behind a descriptor of /proc/PID/ns/mnt becomes the calling process's; root
// and working directory are its root then. Only for a process with one thread.
Status enter_mount_space(int space);
// pivot_root(".", ".") in `new_root`: "/" is the new root from here on, the old one is stacked on
// it and still attached (which a fresh /proc needs), until detach_old_root().
Status stack_pivot(const std::string& new_root);
Status detach_old_root();
// pivot_root(new_root, put_old): the old root stays below the new one. Ends in the new root.
Status pivot_keeping_old(const std::string& new_root, const std::string& put_old);

}  // namespace cmcp::os
