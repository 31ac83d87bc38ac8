#include "os/mount.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "os/error.h"

// glibc's <sys/mount.h> and <linux/mount.h> clash in 2.36: mount and umount2 are declared here.
extern "C" int mount(const char* source, const char* target, const char* type, unsigned long flags,
                     const void* data);
extern "C" int umount2(const char* target, int flags);

namespace cmcp::os {

Result<Fd> clone_tree(int dir, const std::string& path, Recursive recursive) {
  unsigned flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW;
  if (path.empty()) flags |= AT_EMPTY_PATH;
  if (recursive == Recursive::kYes) flags |= AT_RECURSIVE;
  const long fd = ::syscall(SYS_open_tree, dir, path.c_str(), flags);
  if (fd < 0) return last_error("open_tree", path);
  return Fd(static_cast<int>(fd));
}

Status set_mount_attributes(int tree, const MountAttributes& attributes, Recursive recursive) {
  mount_attr attr{};
  attr.attr_set = attributes.set;
  attr.attr_clr = attributes.clear;
  if (attributes.idmap_userns >= 0) {
    attr.attr_set |= MOUNT_ATTR_IDMAP;
    attr.userns_fd = static_cast<std::uint64_t>(attributes.idmap_userns);
  }
  const unsigned flags = AT_EMPTY_PATH | (recursive == Recursive::kYes ? AT_RECURSIVE : 0U);
  if (::syscall(SYS_mount_setattr, tree, "", flags, &attr, sizeof(attr)) != 0)
    return last_error("mount_setattr");
  return {};
}

Status attach_tree(int tree, int dir, const std::string& target) {
  const unsigned flags = MOVE_MOUNT_F_EMPTY_PATH | (target.empty() ? MOVE_MOUNT_T_EMPTY_PATH : 0U);
  if (::syscall(SYS_move_mount, tree, "", dir, target.c_str(), flags) != 0) {
    return last_error("move_mount", target);
  }
  return {};
}

Result<Fd> new_filesystem(const std::string& type,
                          const std::vector<std::pair<std::string, std::string>>& options,
                          std::uint64_t mount_attributes) {
  const long raw = ::syscall(SYS_fsopen, type.c_str(), FSOPEN_CLOEXEC);
  if (raw < 0) return last_error("fsopen", type);
  const Fd context(static_cast<int>(raw));
  for (const auto& [key, value] : options) {
    const unsigned command = value.empty() ? FSCONFIG_SET_FLAG : FSCONFIG_SET_STRING;
    if (::syscall(SYS_fsconfig, context.get(), command, key.c_str(),
                  value.empty() ? nullptr : value.c_str(), 0) != 0) {
      return last_error("fsconfig", type + " " + key + "=" + value);
    }
  }
  if (::syscall(SYS_fsconfig, context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) {
    return last_error("fsconfig", type + " create");
  }
  const long tree = ::syscall(SYS_fsmount, context.get(), FSMOUNT_CLOEXEC, mount_attributes);
  if (tree < 0) return last_error("fsmount", type);
  return Fd(static_cast<int>(tree));
}

Status mount_old(const char* source, const std::string& target, const char* type,
                 unsigned long flags, const char* data) {
  if (::mount(source, target.c_str(), type, flags, data) != 0) return last_error("mount", target);
  return {};
}

Status unmount(const std::string& target, int flags) {
  if (::umount2(target.c_str(), flags) != 0) return last_error("umount2", target);
  return {};
}

Status new_mount_space() {
  if (::unshare(CLONE_NEWNS) != 0) return last_error("unshare", "CLONE_NEWNS");
  return {};
}

Status enter_mount_space(int space) {
  if (::setns(space, CLONE_NEWNS) != 0) return last_error("setns", "mount namespace");
  return {};
}

Status stack_pivot(const std::string& new_root) {
  if (::chdir(new_root.c_str()) != 0) return last_error("chdir", new_root);
  if (::syscall(SYS_pivot_root, ".", ".") != 0) return last_error("pivot_root", new_root);
  return {};
}

Status pivot_keeping_old(const std::string& new_root, const std::string& put_old) {
  if (::syscall(SYS_pivot_root, new_root.c_str(), put_old.c_str()) != 0)
    return last_error("pivot_root", new_root);
  if (::chdir("/") != 0) return last_error("chdir", "/");
  return {};
}

Status detach_old_root() {
  // The old root is stacked on top of the new one: "." names it.
  constexpr int kDetach = 2;  // MNT_DETACH
  CMCP_CHECK_OK(unmount(".", kDetach));
  if (::chdir("/") != 0) return last_error("chdir", "/");
  return {};
}

}  // namespace cmcp::os
