// What a directory tree takes on its file system: for limits that no file system keeps for us.
#pragma once

#include <cstdint>

namespace cmcp::sandbox {

struct TreeUsage {
  std::uint64_t bytes = 0;    // allocated blocks; a hard link counts once, a hole not at all
  std::uint64_t files = 0;    // inodes, directories too, but not the root itself
  std::uint64_t largest = 0;  // size of the largest regular file, holes included
  // Directories were moved, replaced or removed while they were read, or there were more entries
  // than the bound: the figures are the least that it can be.
  bool changed = false;

  friend bool operator==(const TreeUsage&, const TreeUsage&) = default;
};

inline constexpr std::uint64_t kMaxTreeEntries = 20'000'000;

// Walks the tree below `root` (a directory's descriptor, O_PATH will do) by descriptors: no link is
// followed, no other mount entered, however deep it is few descriptors are held. Hostile processes
// may change the tree meanwhile. What may not be read is not counted.
TreeUsage count_tree(int root, std::uint64_t max_entries = kMaxTreeEntries);

}  // namespace cmcp::sandbox
