#include "sandbox/helper/tree_usage.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/stat.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/fd.h"

namespace cmcp::sandbox {
namespace {

// Below this depth a directory's descriptor is not kept while its children are read: a tree may be
// deeper than a process may have descriptors.
constexpr std::size_t kKeptLevels = 128;
constexpr unsigned kBlock = 512;
constexpr unsigned kMask = STATX_BASIC_STATS | STATX_MNT_ID;

struct Identity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t mount = 0;

  friend bool operator==(const Identity&, const Identity&) = default;
};

Identity identity_of(const struct statx& info) {
  return {std::uint64_t{info.stx_dev_major} << 32 | info.stx_dev_minor, info.stx_ino,
          info.stx_mnt_id};
}

std::optional<struct statx> look(int directory, const char* name) {
  struct statx info{};
  const int flags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | (*name == '\0' ? AT_EMPTY_PATH : 0);
  if (::statx(directory, name, flags, kMask, &info) != 0) return std::nullopt;
  return info;
}

class Walk {
 public:
  explicit Walk(std::uint64_t max_entries) : left_(max_entries) {}

  TreeUsage count(int root) {
    const auto info = look(root, "");
    Fd start(::openat(root, ".", kOpen));
    if (!info || !start) return usage_;
    mount_ = info->stx_mnt_id;
    push(std::move(start), identity_of(*info));
    while (!levels_.empty()) step();
    return usage_;
  }

 private:
  static constexpr int kOpen = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  struct Level {
    Fd fd;  // invalid below kKeptLevels while a child is read
    Identity identity;
    std::vector<std::string> directories;  // not visited yet
  };

  // Goes down into the next directory of the lowest level, or up when it has none.
  void step() {
    Level& level = levels_.back();
    if (level.directories.empty()) {
      Fd done = std::move(level.fd);
      levels_.pop_back();
      if (!levels_.empty() && !levels_.back().fd) climb(done.get());
      return;
    }
    const std::string name = std::move(level.directories.back());
    level.directories.pop_back();
    Fd child(::openat(level.fd.get(), name.c_str(), kOpen));
    const auto info = child ? look(child.get(), "") : std::nullopt;
    if (!info) {
      usage_.changed = usage_.changed || errno != EACCES;
      return;
    }
    if (info->stx_mnt_id != mount_) return;
    if (levels_.size() > kKeptLevels) level.fd.reset();
    push(std::move(child), identity_of(*info));
  }

  // Back into the parent, whose descriptor was not kept. When the directory was moved meanwhile its
  // parent is another one: what is left of the deep levels is given up.
  void climb(int from) {
    Fd parent(::openat(from, "..", kOpen));
    const auto info = parent ? look(parent.get(), "") : std::nullopt;
    if (info && identity_of(*info) == levels_.back().identity) {
      levels_.back().fd = std::move(parent);
      return;
    }
    usage_.changed = true;
    while (!levels_.empty() && !levels_.back().fd) levels_.pop_back();
  }

  void push(Fd fd, Identity identity) {
    levels_.push_back({std::move(fd), identity, {}});
    read_entries(levels_.back());
  }

  void read_entries(Level& level) {
    const int copy = ::openat(level.fd.get(), ".", kOpen);
    DIR* stream = copy < 0 ? nullptr : ::fdopendir(copy);
    if (stream == nullptr) {
      if (copy >= 0) ::close(copy);
      usage_.changed = true;
      return;
    }
    const std::unique_ptr<DIR, int (*)(DIR*)> closing(stream, ::closedir);
    while (const dirent* entry = ::readdir(stream)) {
      const std::string name = entry->d_name;
      if (name == "." || name == "..") continue;
      if (left_ == 0) {
        usage_.changed = true;
        level.directories.clear();
        return;
      }
      --left_;
      add(level, name);
    }
  }

  void add(Level& level, const std::string& name) {
    const auto info = look(level.fd.get(), name.c_str());
    if (!info) return;  // gone meanwhile
    if (info->stx_mnt_id != mount_) return;
    const bool directory = S_ISDIR(info->stx_mode);
    if (!directory && info->stx_nlink > 1 && !seen_.insert(info->stx_ino).second) return;
    ++usage_.files;
    usage_.bytes += std::uint64_t{info->stx_blocks} * kBlock;
    if (S_ISREG(info->stx_mode))
      usage_.largest = std::max(usage_.largest, std::uint64_t{info->stx_size});
    if (directory) level.directories.push_back(name);
  }

  std::uint64_t left_;
  std::uint64_t mount_ = 0;
  TreeUsage usage_;
  std::vector<Level> levels_;
  std::unordered_set<std::uint64_t> seen_;  // inodes with several links
};

}  // namespace

TreeUsage count_tree(int root, std::uint64_t max_entries) {
  return Walk(max_entries).count(root);
}

}  // namespace cmcp::sandbox
